/* What the programs of this folder share. A condition holds where its program reaches FOUND. */
#include <assert.h>
#include <klee/klee.h>
#include <math.h>

#define SYMBOLIC(v) klee_make_symbolic(&(v), sizeof(v), #v)
#define FOUND assert(!"found")
