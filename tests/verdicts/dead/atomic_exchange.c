/* A compare-exchange whose outcome nobody uses. */
#include <stdatomic.h>
static void h(atomic_int *p) {
    int e = 0;
    atomic_compare_exchange_strong(p, &e, 1); //~ null
}
int main(void) {
    h(0);
    return 0;
}
