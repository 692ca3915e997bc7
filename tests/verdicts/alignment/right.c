/* What does not fault: unaligned vectors, scalars at any address, halves of a wide vector, and what the compiler aligns. */
#include "klee/klee.h"
#include <emmintrin.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
typedef int four __attribute__((vector_size(16)));
typedef int eight __attribute__((vector_size(32)));
typedef int loose __attribute__((vector_size(16), aligned(4)));
static unsigned char t[96] __attribute__((aligned(64)));
struct packed { char c; four v; } __attribute__((packed));
struct passed { char c[48]; } __attribute__((aligned(32)));
static int by_value(char c, struct passed p) { return (*(four *)p.c)[0] + c + (((unsigned long)&p & 31) != 0) * 1000; }
static int listed(int n, ...) {
    va_list list;
    va_start(list, n);
    four sum = {0};
    while (n--) sum += va_arg(list, four);
    struct passed p = va_arg(list, struct passed);
    sum += *(four *)(p.c + 16);
    va_end(list);
    return sum[0];
}
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    x %= 32;
    four many[3] = {{0}, {1}, {2}}, *heap = malloc(64);
    memset(heap, 0, 64);
    struct packed s = {0};
    struct passed p = {{0}};
    p.c[16] = 1;
    int sum = _mm_cvtsi128_si32(_mm_loadu_si128((void *)(t + x)));
    _mm_storeu_si128((void *)(t + x), _mm_setzero_si128());
    sum += *(int *)(t + x) + *(long *)(t + x) + (int)*(__int128 *)(t + x) + (int)*(long double *)(t + x);
    sum += (*(loose *)(t + x))[0] + many[x % 3][1] + heap[x % 4][0] + s.v[0];
    sum += (*(eight *)(t + 16 * (x % 4)))[7];
    sum += by_value(1, p) - 1;
    four v = {1};
    sum += listed(10, v, v, v, v, v, v, v, v, v, v, p) - 11;
    free(heap);
    return sum == 77;
}
