/* x87 extended precision. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(long double x) {
    unsigned char b[16] = {0};
    memcpy(b, &x, 10);
    for (int i = 9; i >= 0; i--) printf("%02x", b[i]);
    printf(" %.21Lg\n", x);
}

int main(void) {
    volatile long double v[] = {0.0L, 1.0L, -1.0L / 3.0L, 1e4000L, LDBL_MIN / 7, 18446744073709551617.0L, LDBL_EPSILON};
    const int n = sizeof v / sizeof *v;
    for (int i = 0; i < n; i++) {
        show(v[i]);
        for (int j = 0; j < n; j++) {
            long double a = v[i], b = v[j];
            show(a + b);
            show(a * b);
            if (b != 0) show(a / b);
            printf("%d%d%d\n", a < b, a == b, a >= b);
        }
    }
    show((long double)0.1);
    show((long double)0.1f);
    show((long double)-5);
    show((long double)18446744073709551615ull);
    printf("%d %lld %llu\n", (int)-2.99L, (long long)9223372036854775807.0L, (unsigned long long)18446744073709551615.0L);
    printf("%a %a\n", (double)(1.0L / 3.0L), (double)(float)(1.0L / 3.0L));
    show(strtold("3.141592653589793238462643", NULL));
    show(strtold("0x1.8p-16000", NULL));
    show(sqrtl(2.0L));
    long double sum = 0;
    for (int i = 1; i <= 100; i++) sum += 1.0L / i;
    show(sum);
    return 0;
}
