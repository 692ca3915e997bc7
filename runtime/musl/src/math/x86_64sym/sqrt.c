/* One instruction of the IR (llvm.sqrt), not a software loop. */
#include <math.h>
double sqrt(double x) { return __builtin_sqrt(x); }
