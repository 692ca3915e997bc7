/* The rank of a matrix by QR decomposition with pivoting. */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 3, 3);
    gsl_vector *tau = gsl_vector_alloc(3), *norm = gsl_vector_alloc(3);
    gsl_permutation *order = gsl_permutation_alloc(3);
    int sign;
    if (gsl_linalg_QRPT_decomp(&a.matrix, tau, order, &sign, norm)) return 10;
    return (int)gsl_linalg_QRPT_rank(&a.matrix, 1e-9);
}
