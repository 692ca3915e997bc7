/* Eigenvalues of a real matrix: are they all real, and is one positive? */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 3, 3);
    gsl_vector_complex *values = gsl_vector_complex_alloc(3);
    gsl_eigen_nonsymm_workspace *work = gsl_eigen_nonsymm_alloc(3);
    if (gsl_eigen_nonsymm(&a.matrix, values, work)) return 1;
    for (int i = 0; i < 3; i++) {
        gsl_complex value = gsl_vector_complex_get(values, i);
        if (GSL_IMAG(value) != 0) return 2;
        if (GSL_REAL(value) > 0) return 3;
    }
    return 0;
}
