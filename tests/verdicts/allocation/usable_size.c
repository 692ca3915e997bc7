#include <klee/klee.h>
#include <malloc.h>
#include <stdlib.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    char *p = malloc(10);
    if (!p) return 1;
    switch (x) {
    case 0: return malloc_usable_size(0) != 0;
    case 1: return malloc_usable_size(p) < 10;
    case 2: return malloc_usable_size(p + 1) < 10; //~ misuse
    case 3: return malloc_usable_size(&x) < 10; //~ misuse
    case 4: free(p); return malloc_usable_size(p) < 10; //~ misuse
    }
    return 0;
}
