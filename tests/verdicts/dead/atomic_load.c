/* An atomic load whose value nobody uses. */
#include <stdatomic.h>
static void h(atomic_int *p) {
    atomic_load_explicit(p, memory_order_relaxed); //~ null
}
int main(void) {
    h(0);
    return 0;
}
