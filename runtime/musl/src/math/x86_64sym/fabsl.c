/* One instruction of the IR (llvm.fabs), not a software loop. */
#include <math.h>
long double fabsl(long double x) { return __builtin_fabsl(x); }
