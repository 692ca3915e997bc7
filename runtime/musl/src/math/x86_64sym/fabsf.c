/* One instruction of the IR (llvm.fabs), not a software loop. */
#include <math.h>
float fabsf(float x) { return __builtin_fabsf(x); }
