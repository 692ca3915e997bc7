/* Classification of floats by glibc's names. */
#include <math.h>

/* Names that are not reserved give way to the program's own. */
#define WEAK __attribute__((weak))

#undef isnan
#undef isinf
#undef finite
#undef finitef

#define CLASSES(type, suffix)                                                                                          \
    int __isnan##suffix(type x) { return __builtin_isnan(x); }                                                         \
    int __isinf##suffix(type x) { return __builtin_isinf(x) ? (x > 0 ? 1 : -1) : 0; }                                  \
    int __finite##suffix(type x) { return __builtin_isfinite(x); }                                                     \
    WEAK int isnan##suffix(type x) { return __builtin_isnan(x); }                                                      \
    WEAK int isinf##suffix(type x) { return __isinf##suffix(x); }

CLASSES(double, )
CLASSES(float, f)
CLASSES(long double, l)

WEAK int finitel(long double x) { return __builtin_isfinite(x); }
