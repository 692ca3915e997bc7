// A sum of an array and a number is an index, as C says: in a variable, in a static object, in a row of a row.
// run: --check memory,bounds
#include <klee/klee.h>
struct s { int before[8], list[4], after[8]; };
static struct s constant_address;
int main(void) {
    struct s s = {{0}};
    int rows[3][4] = {{0}};
    unsigned char which, i;
    klee_make_symbolic(&which, 1, "which");
    klee_make_symbolic(&i, 1, "i");
    klee_assume(i < 6);
    switch (which) {
    case 0: return *(s.list + i); //~ out_of_bounds
    case 1: return *(constant_address.list + i); //~ out_of_bounds
    case 2: return *(*(rows + 1) + i); //~ out_of_bounds
    case 3: return *(s.list - 1 + (i > 4)); //~ out_of_bounds
    case 4: {
        // One behind the last element, and the whole object by another type.
        int *end = s.list + (i < 5 ? i : 4);
        return end - s.list + ((unsigned char *)s.list)[i * 4];
    }
    }
    return 0;
}
