/* Special functions of GSL on numbers from the command line: a workload with floating point. */
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf.h>

int main(int argc, char **argv)
{
    gsl_set_error_handler_off();
    for (int i = 1; i < argc; i++) {
        double x = strtod(argv[i], NULL);
        gsl_sf_result j0, gamma, erf;
        int a = gsl_sf_bessel_J0_e(x, &j0), b = gsl_sf_gamma_e(x, &gamma), c = gsl_sf_erf_e(x, &erf);
        printf("%.10g: J0 %.10g (%s), gamma %.10g (%s), erf %.10g (%s)\n", x, j0.val, gsl_strerror(a), gamma.val, gsl_strerror(b), erf.val, gsl_strerror(c));
    }
    return 0;
}
