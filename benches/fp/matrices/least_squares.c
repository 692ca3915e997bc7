/* The least squares solution of an overdetermined system. */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 4, 2);
    VECTOR(b, 4);
    gsl_vector *tau = gsl_vector_alloc(2), *x = gsl_vector_alloc(2), *residual = gsl_vector_alloc(4);
    if (gsl_linalg_QR_decomp(&a.matrix, tau)) return 1;
    if (gsl_linalg_QR_lssolve(&a.matrix, tau, &b.vector, x, residual)) return 2;
    double error = gsl_blas_dnrm2(residual);
    if (error == 0) return 3;
    return error < 1e-6 ? 4 : 0;
}
