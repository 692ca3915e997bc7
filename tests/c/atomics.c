/* C11 atomics and the builtins, single-threaded. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static _Atomic int counter = 5;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Atomic double real = 1.5;
static _Atomic(unsigned char) tiny = 250;

/* One value a call: the order of evaluation of arguments is not defined. */
#define N(e) printf("%lld ", (long long)(e))
int main(void) {
    N(atomic_fetch_add(&counter, 3));
    N(atomic_fetch_sub(&counter, 1));
    N(atomic_fetch_or(&counter, 0x10));
    N(atomic_fetch_and(&counter, 0x1e));
    N(atomic_fetch_xor(&counter, 0xff));
    N(atomic_exchange(&counter, -1));
    int expected = 0;
    N(atomic_compare_exchange_strong(&counter, &expected, 7)); N(expected);
    N(atomic_compare_exchange_strong(&counter, &expected, 7)); N(atomic_load(&counter)); puts("");
    N(atomic_flag_test_and_set(&flag));
    N(atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    N(atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)); puts("");
    real = real + 2.25;
    tiny += 10;
    counter *= 3;
    counter++;
    printf("%g %d %d\n", real, tiny, counter);
    uint64_t x = 1;
    printf("%llu ", (unsigned long long)__atomic_fetch_add(&x, 41, __ATOMIC_SEQ_CST));
    printf("%llu ", (unsigned long long)__atomic_nand_fetch(&x, 8, __ATOMIC_RELAXED));
    printf("%llu ", (unsigned long long)__sync_lock_test_and_set(&x, 9));
    N(__sync_bool_compare_and_swap(&x, 9, 10));
    printf("%llu\n", (unsigned long long)__sync_add_and_fetch(&x, 5));
    int32_t m = -5;
    N(__atomic_load_n(&m, __ATOMIC_ACQUIRE)); N((__atomic_store_n(&m, 6, __ATOMIC_RELEASE), m)); puts("");
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acq_rel);
    int *p = &m, y = 3;
    _Atomic(int *) ap = p;
    atomic_store(&ap, &y);
    N(*atomic_load(&ap)); puts("");
    return 0;
}
