/* _Complex arithmetic. */
#include <complex.h>
#include <stdio.h>

static double complex poly(double complex z) { return z * z * z - 2.0 * z + 1.0; }

int main(void) {
    volatile double complex a = 1.5 + 2.0 * I, b = -0.5 + 0.25 * I;
    double complex c[] = {a + b, a - b, a * b, a / b, -a, conj(a), poly(a), a * 2.0};
    for (unsigned i = 0; i < sizeof c / sizeof *c; i++) printf("%.15g %.15g\n", creal(c[i]), cimag(c[i]));
    printf("%.15g %d\n", cabs(3.0 + 4.0 * I), a == b);
    float complex f = 1.0f + 1.0f * I;
    for (int i = 0; i < 5; i++) f = f * f / 2.0f + 0.5f;
    printf("%.7g %.7g\n", crealf(f), cimagf(f));
    double complex z = 0, k = -0.4 + 0.6 * I;
    int n = 0;
    while (n < 100 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4) { z = z * z + k; n++; }
    printf("%d\n", n);
    long double complex l = 1.0L - 1.0L * I;
    l *= l;
    printf("%Lg %Lg\n", creall(l), cimagl(l));
    return 0;
}
