/* Eigenvalues and eigenvectors of a symmetric matrix, in order; what kind of form it is. */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 3, 3);
    gsl_matrix *vectors = gsl_matrix_alloc(3, 3);
    gsl_vector *values = gsl_vector_alloc(3);
    if (gsl_eigen_symmv(&a.matrix, values, vectors, gsl_eigen_symmv_alloc(3))) return 1;
    if (gsl_eigen_symmv_sort(values, vectors, GSL_EIGEN_SORT_VAL_ASC)) return 2;
    double low = gsl_vector_get(values, 0), high = gsl_vector_get(values, 2);
    if (low > 0) return 3;          /* positive definite */
    if (high < 0) return 4;         /* negative definite */
    if (low < 0 && high > 0) return 5; /* indefinite */
    return 0;
}
