// What passes know of a constant's content: wherever the index leads, what is read is zero.
#include <klee/klee.h>
static const int zero[4];
static const int sevens[3] = {7, 7, 7};
static const char text[] = "aaa";
static const struct pair { int a, b; } pairs[2] = {{1, 1}, {1, 1}};
int main(void) {
    unsigned char which, i;
    klee_make_symbolic(&which, 1, "which");
    klee_make_symbolic(&i, 1, "i");
    klee_assume(i < 6);
    switch (which) {
    case 0: return zero[i]; //~ out_of_bounds
    case 1: return sevens[i]; //~ out_of_bounds
    case 2: return text[i]; //~ out_of_bounds
    case 3: return pairs[i].b; //~ out_of_bounds
    case 4: zero[i]; return 0; //~ out_of_bounds
    }
    return 0;
}
