/* An atomic store. */
#include <stdatomic.h>
static void h(atomic_int *p) {
    atomic_store_explicit(p, 1, memory_order_relaxed); //~ null
}
int main(void) {
    h(0);
    return 0;
}
