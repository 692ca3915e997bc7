/* 7 MiB in one array, again and again; 6 MiB in frames; 150,000 calls that keep nothing in memory; an array in an
   inner block of each round; alloca whose memory a longjmp or a return gives back. Natively all of it fits. */
#include "klee/klee.h"
#include <alloca.h>
#include <setjmp.h>
static volatile int zero;
static jmp_buf back;
static int large(int i) {
    volatile char big[7 << 20];
    big[i] = 1;
    return big[i];
}
static int frames(int n) {
    volatile char some[4096];
    some[n % 4096] = 1;
    return n == 0 ? 0 : frames(n - 1) + some[n % 4096];
}
static int calls(int n) { return n == zero ? 0 : 1 + calls(n - 1); }
static int some(int n) {
    volatile char *p = alloca(n);
    p[n - 1] = 1;
    return p[n - 1];
}
static void away(int n) {
    volatile char lost[4096];
    lost[n % 4096] = 1;
    if (n == 0) longjmp(back, 1);
    away(n - 1);
    lost[0] = 2;
}
static int blocks(void) {
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        volatile char inner[1 << 20];
        inner[i] = 1;
        sum += inner[i];
    }
    return sum;
}
int main(void) {
    for (int i = 0; i < 4; i++) if (large(i) != 1) return 1;
    if (frames(1500) != 1500) return 2;
    if (calls(150000) != 150000) return 3;
    for (int i = 0; i < 20; i++) if (some(1 << 20) != 1) return 4;
    for (volatile int i = 0; i < 5; i++) if (!setjmp(back)) away(1000);
    return blocks() != 10;
}
