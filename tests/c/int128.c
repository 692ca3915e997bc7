/* 128-bit integers. */
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static void show(u128 x) { printf("%016llx%016llx ", (unsigned long long)(x >> 64), (unsigned long long)x); }

static void decimal(u128 x) {
    char buf[40];
    int i = 40;
    buf[--i] = 0;
    do { buf[--i] = (char)('0' + (int)(x % 10)); x /= 10; } while (x);
    printf("%s\n", buf + i);
}

int main(void) {
    volatile u128 v[] = {0, 1, 3, (u128)-1, (u128)1 << 64, ((u128)1 << 127), ((u128)0x123456789abcdef0 << 64) | 0xfedcba9876543210, 1000000007};
    const int n = sizeof v / sizeof *v;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            u128 a = v[i], b = v[j];
            show(a + b); show(a - b); show(a * b);
            if (b) { show(a / b); show(a % b); }
            if (b && !(b == (u128)-1 && a == (u128)1 << 127)) { show((u128)((i128)a / (i128)b)); show((u128)((i128)a % (i128)b)); }
            show(a & b); show(a | b); show(a ^ b);
            int s = (int)(b & 127);
            show(a << s); show(a >> s); show((u128)((i128)a >> s));
            printf("%d%d%d%d\n", a < b, (i128)a < (i128)b, a == b, (i128)a >= (i128)b);
        }
        printf("%g %g %a\n", (double)v[i], (double)(i128)v[i], (double)(float)v[i]);
        printf("%llu %d\n", (unsigned long long)v[i], (int)v[i]);
    }
    u128 f = 1;
    for (int i = 1; i <= 34; i++) f *= (unsigned)i;
    decimal(f);
    printf("%016llx\n", (unsigned long long)(((u128)0xdeadbeefcafebabe * 0x123456789abcdef1) >> 64));
    volatile double d = 1e30;
    decimal((u128)d);
    u128 sum;
    _Bool carry = __builtin_add_overflow(v[3], v[1], &sum);
    printf("%d ", carry);
    show(sum);
    puts("");
    return 0;
}
