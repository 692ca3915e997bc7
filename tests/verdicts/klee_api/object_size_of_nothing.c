#include <klee/klee.h>

int main(void) {
    return klee_get_obj_size((void *)0x123456789); //~ user
}
