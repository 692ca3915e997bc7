/* One instruction of the IR (llvm.sqrt), not a software loop. */
#include <math.h>
long double sqrtl(long double x) { return __builtin_sqrtl(x); }
