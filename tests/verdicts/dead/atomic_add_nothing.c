/* An atomic operation that changes nothing. */
#include <stdatomic.h>
static void h(atomic_int *p) {
    atomic_fetch_or_explicit(p, 0, memory_order_relaxed); //~ null
}
int main(void) {
    h(0);
    return 0;
}
