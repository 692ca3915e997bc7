#include <setjmp.h>
#include <stdlib.h>

int main(void) {
    jmp_buf *env = malloc(32);
    if (!env) return 1;
    return setjmp(*env); //~ out_of_bounds
}
