/* Products of matrices: do they commute? */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 2, 2);
    MATRIX(b, 2, 2);
    gsl_matrix *left = gsl_matrix_alloc(2, 2), *right = gsl_matrix_alloc(2, 2);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, &a.matrix, &b.matrix, 0, left);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, &b.matrix, &a.matrix, 0, right);
    if (gsl_matrix_isnull(left)) return gsl_matrix_isnull(right) ? 1 : 2;
    if (gsl_matrix_equal(left, right)) return gsl_matrix_ispos(left) ? 3 : 4;
    gsl_matrix_sub(left, right);
    return gsl_matrix_max(left) < 1e-6 && gsl_matrix_min(left) > -1e-6 ? 5 : 0;
}
