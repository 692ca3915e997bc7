/* The cycle counter is not modelled: named with its text. */
// halted: unsupported
// message: rdtsc
int main(void) {
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return 0;
}
