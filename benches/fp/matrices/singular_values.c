/* Singular values by Jacobi's method, and how well the matrix is conditioned. */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 3, 2);
    gsl_matrix *v = gsl_matrix_alloc(2, 2);
    gsl_vector *values = gsl_vector_alloc(2);
    if (gsl_linalg_SV_decomp_jacobi(&a.matrix, v, values)) return 1;
    double high = gsl_vector_get(values, 0), low = gsl_vector_get(values, 1);
    if (high == 0) return 2;
    if (low == 0) return 3;
    return high / low > 1e6 ? 4 : 0;
}
