/* Integers of odd widths. */
#include <stdio.h>

typedef _BitInt(7) i7;
typedef unsigned _BitInt(7) u7;
typedef _BitInt(37) i37;
typedef unsigned _BitInt(100) u100;
typedef _BitInt(128) i128;
typedef unsigned _BitInt(65) u65;

int main(void) {
    volatile i7 a = -64, b = 63;
    volatile u7 c = 127;
    printf("%d %d %d %d\n", (int)a, (int)(i7)(b >> 2), (int)(u7)(c + (u7)1), (int)(a / (i7)3));
    volatile i37 d = 68719476735, e = -12345678901;
    printf("%lld %lld %lld\n", (long long)(i37)(d / 7), (long long)(e % 1000), (long long)(e >> 5));
    volatile u100 f = (u100)1 << 99, g = 12345678901234567890ull;
    u100 h = f + g * 3, k = h / (u100)1000003, m = h % (u100)1000003;
    printf("%llx %llx %llx %llu\n", (unsigned long long)(h >> 64), (unsigned long long)h, (unsigned long long)(k >> 40), (unsigned long long)m);
    volatile u65 n = ~(u65)0;
    n = n + 2;
    printf("%llu %d\n", (unsigned long long)n, f > (u100)g);
    i128 o = -(i128)1 << 100;
    printf("%lld %d\n", (long long)(o >> 70), o < 0);
    struct { i7 x; u100 y; i37 z[3]; } s = {-5, f, {1, -2, 3}};
    printf("%d %d %lld %zu\n", (int)s.x, s.y == f, (long long)(s.z[0] + s.z[1] * s.z[2]), sizeof s);
    return 0;
}
