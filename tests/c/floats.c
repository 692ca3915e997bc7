/* float and double: arithmetic, conversion, classification, rounding. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t bits(double d) { uint64_t u; memcpy(&u, &d, 8); return u; }
static uint32_t bitsf(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }

int main(void) {
    volatile double v[] = {0.0, -0.0, 1.5, -2.5, 0.1, 1e300, -1e-300, 4503599627370497.5, 2147483648.0, DBL_MIN / 3, INFINITY, -INFINITY};
    const int n = sizeof v / sizeof *v;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double a = v[i], b = v[j], r[] = {a + b, a - b, a * b, a / b};
            for (int k = 0; k < 4; k++) printf(r[k] != r[k] ? "nan " : "%016llx ", (unsigned long long)bits(r[k]));
            printf("%d%d%d%d%d%d\n", a < b, a <= b, a == b, a != b, a > b, a >= b);
        }
        double x = v[i];
        printf("%g: %g %g %g %g %g %g %g\n", x, floor(x), ceil(x), trunc(x), round(x), rint(x), nearbyint(x), fabs(x));
        printf("   %x %d %d %d %d\n", bitsf((float)x), !!isinf(x), !!isnan(x), !!signbit(x), fpclassify(x) == FP_SUBNORMAL);
        if (fabs(x) < 1e9) printf("   %d %lld %u\n", (int)x, (long long)x, x >= 0 ? (unsigned)x : 0u);
    }
    volatile int64_t ints[] = {0, 1, -1, INT64_MAX, INT64_MIN, 16777217, 9007199254740993};
    for (unsigned i = 0; i < sizeof ints / sizeof *ints; i++)
        printf("%08x %016llx %016llx\n", bitsf((float)ints[i]), (unsigned long long)bits((double)ints[i]), (unsigned long long)bits((double)(uint64_t)ints[i]));
    volatile double nan = NAN;
    printf("%d %d %d %d\n", nan == nan, nan < 1, nan > 1, nan != nan);
    printf("%g %g %g\n", fmin(nan, 2.0), fmax(3.0, nan), copysign(3.0, -0.0));
    int e;
    volatile double forty = 48.0, minus = -3.75, two = 2.0, three = 3.0;
    double m = frexp(forty, &e), ip, fp = modf(minus, &ip);
    printf("%g %d %g %g %g %g %d\n", m, e, ip, fp, ldexp(0.75, 10), scalbn(1.0, -1074), ilogb(1000.0));
    printf("%g %g %g %g\n", fmod(10.5, 3.0), fmod(-10.5, 3.0), remainder(10.5, 3.0), fma(1e16, 1e16, -1e32));
    printf("%.17g %.9g %.17g %.17g\n", sqrt(two), (double)sqrtf((float)two), cbrt(64.0), hypot(three, 4.0));
    printf("%.17g %.17g\n", nextafter(1.0, 2.0), nextafter(0.0, -1.0));
    float acc = 0;
    for (int i = 0; i < 1000; i++) acc += 0.1f;
    printf("%.9g\n", acc);
    double pi = 0;
    for (int i = 0; i < 5000; i++) pi += (i % 2 ? -4.0 : 4.0) / (2 * i + 1);
    printf("%.17g %ld %lld\n", pi, lround(2.5), llrint(3.5));
    return 0;
}
