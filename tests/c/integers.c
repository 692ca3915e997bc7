/* Integer arithmetic: promotions, signs, shifts, division, overflow builtins, bit counting. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t rotl(uint32_t x, unsigned n) { return x << (n & 31) | x >> (-n & 31); }

int main(void) {
    volatile int8_t c[] = {-128, -1, 0, 1, 127};
    for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) {
        int8_t a = c[i], b = c[j];
        uint8_t ua = (uint8_t)a, ub = (uint8_t)b;
        printf("%d %d %d %u ", a + b, a * b, (int8_t)(a - b), (uint8_t)(ua * ub));
        if (b) printf("%d %d %u %u ", a / b, a % b, ua / ub, ua % ub);
        printf("%d%d%d\n", a < b, ua < ub, (unsigned)a < (unsigned)b);
    }
    volatile int32_t w[] = {INT_MIN, -7, 0, 7, INT_MAX};
    for (int i = 0; i < 5; i++) for (int j = 1; j < 5; j++) if (w[j]) printf("%d %d %u ", w[i] / w[j], w[i] % w[j], (unsigned)w[i] / (unsigned)w[j]);
    puts("");
    volatile int64_t q[] = {INT64_MIN + 1, -1000000007, 3, INT64_MAX};
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) printf("%lld %lld %llu\n", (long long)(q[i] / q[j]), (long long)(q[i] % q[j]), (unsigned long long)((uint64_t)q[i] * (uint64_t)q[j]));
    for (unsigned n = 0; n < 33; n += 4) printf("%08x %d ", rotl(0x80000123u, n), -1000 >> (n & 31));
    puts("");
    volatile uint32_t u = 0x00f0a000;
    volatile uint64_t l = 0x00000f0000000000ull;
    printf("%d %d %d %d %d %d\n", __builtin_clz(u), __builtin_ctz(u), __builtin_popcount(u), __builtin_clzll(l), __builtin_ctzll(l), __builtin_popcountll(l));
    printf("%x %llx %x %d %d\n", __builtin_bswap32(u), (unsigned long long)__builtin_bswap64(l), __builtin_bswap16((uint16_t)(u >> 8)), __builtin_parity(u), __builtin_ffs((int)u));
    int r; unsigned ur; long lr; unsigned long ul;
    int o = __builtin_add_overflow(w[4], 1, &r);
    printf("%d %d ", o, r);
    o = __builtin_sub_overflow(w[0], 1, &r);
    printf("%d %d ", o, r);
    o = __builtin_mul_overflow(w[4], 2, &r);
    printf("%d %d ", o, r);
    o = __builtin_add_overflow((unsigned)w[1], 8u, &ur);
    printf("%d %u ", o, ur);
    o = __builtin_mul_overflow(q[3], 2L, &lr);
    printf("%d %ld ", o, lr);
    o = __builtin_mul_overflow((unsigned long)q[3], 3UL, &ul);
    printf("%d %lu\n", o, ul);
    div_t d = div(-17, 5);
    ldiv_t ld = ldiv(1000000000000L, 7);
    printf("%d %d %ld %ld\n", d.quot, d.rem, ld.quot, ld.rem);
    volatile unsigned short us = 65535;
    volatile short ss = -32768;
    volatile _Bool flag = us > 3;
    printf("%d %d %d %d %d\n", us + 1, (unsigned short)(us + 1), -ss, (short)-ss, flag + flag);
    printf("%d %d %d\n", (int8_t)300, (int)(uint8_t)-1, (int)(int16_t)70000);
    uint64_t h = 1469598103934665603ull;
    for (int i = 0; i < 1000; i++) { h ^= (uint64_t)(i & 255); h *= 1099511628211ull; }
    printf("%016llx\n", (unsigned long long)h);
    return (int)(h & 127);
}
