// What passes know of an object's size: an index into one element can only be 0, if it is right.
#include <klee/klee.h>
#include <stdlib.h>
static int fixed[1] = {7};
int shared[1];
static const int constant[1] = {5};
struct one { int a[1]; };
static _Thread_local int own[1];
int main(void) {
    unsigned char which, i;
    klee_make_symbolic(&which, 1, "which");
    klee_make_symbolic(&i, 1, "i");
    klee_assume(i < 3);
    int local[1] = {3}, sum = 0;
    volatile int seen[1] = {4};
    struct one member = {{1}};
    int *heap = malloc(4), (*row)[1] = &local;
    heap[0] = 2;
    switch (which) {
    case 0: return local[i]; //~ out_of_bounds
    case 1: local[i] = 1; return local[0]; //~ out_of_bounds
    case 2: return seen[i]; //~ out_of_bounds
    case 3: seen[i] = 1; return 0; //~ out_of_bounds
    case 4: return fixed[i]; //~ out_of_bounds
    case 5: return shared[i]; //~ out_of_bounds
    case 6: return constant[i]; //~ out_of_bounds
    case 7: return member.a[i]; //~ out_of_bounds
    case 8: return own[i]; //~ out_of_bounds
    case 9: return heap[i]; //~ out_of_bounds
    case 10: return (*row)[i]; //~ out_of_bounds
    case 11: return (int[1]){9}[i]; //~ out_of_bounds
    case 12: { int *p = local; p += i; return *p; } //~ out_of_bounds
    case 13: return *(i ? &local[i] : local); //~ out_of_bounds
    case 14: for (int k = 0; k <= i; k++) sum += fixed[k]; return sum; //~ out_of_bounds
    case 15: return ""[i]; //~ out_of_bounds
    }
    return 0;
}
