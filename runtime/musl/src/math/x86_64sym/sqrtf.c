/* One instruction of the IR (llvm.sqrt), not a software loop. */
#include <math.h>
float sqrtf(float x) { return __builtin_sqrtf(x); }
