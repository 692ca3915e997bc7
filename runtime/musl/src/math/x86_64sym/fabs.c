/* One instruction of the IR (llvm.fabs), not a software loop. */
#include <math.h>
double fabs(double x) { return __builtin_fabs(x); }
