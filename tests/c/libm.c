/* libm by its source in the libc: results must be those of the native library, bit by bit. */
#include <math.h>
#include <stdio.h>

int main(void) {
    volatile double x[] = {0.0, 0.3, -0.7, 1.0, 2.5, -3.1, 10.0, 100.25, 1e-8, 1e5, 710.0, -746.0};
    for (unsigned i = 0; i < sizeof x / sizeof *x; i++) {
        double a = x[i], p = fabs(a) + 0.5;
        printf("%a %a %a %a\n", sin(a), cos(a), tan(a), atan(a));
        printf("%a %a %a %a %a\n", exp(a), exp2(a), expm1(a), log(p), log10(p));
        printf("%a %a %a %a\n", log2(p), log1p(p), pow(p, a), atan2(a, p));
        printf("%a %a %a %a\n", sinh(a), cosh(a), tanh(a), asinh(a));
        printf("%a %a %a %a\n", erf(a), tgamma(p), lgamma(p), cbrt(a));
        printf("%a %a %a\n", (double)sinf((float)a), (double)expf((float)a), (double)powf((float)p, 1.5f));
    }
    volatile long double l = 0.7L;
    printf("%La %La %La\n", sqrtl(l), floorl(l * 10), fabsl(-l));
    printf("%.15Lg %.15Lg\n", sinl(l), expl(l));
    return 0;
}
