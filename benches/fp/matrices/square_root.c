/* The square root of a symmetric matrix by its eigenvectors. */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 2, 2);
    if (gsl_matrix_get(&a.matrix, 0, 1) != gsl_matrix_get(&a.matrix, 1, 0)) return 1;
    gsl_matrix *copy = gsl_matrix_alloc(2, 2), *vectors = gsl_matrix_alloc(2, 2), *scaled = gsl_matrix_alloc(2, 2),
               *root = gsl_matrix_alloc(2, 2);
    gsl_vector *values = gsl_vector_alloc(2);
    gsl_matrix_memcpy(copy, &a.matrix);
    if (gsl_eigen_symmv(copy, values, vectors, gsl_eigen_symmv_alloc(2))) return 2;
    for (int i = 0; i < 2; i++) {
        double value = gsl_vector_get(values, i);
        if (!(value >= 0)) return 3; /* no real root */
        gsl_vector_view from = gsl_matrix_column(vectors, i), to = gsl_matrix_column(scaled, i);
        gsl_vector_memcpy(&to.vector, &from.vector);
        gsl_vector_scale(&to.vector, sqrt(value));
    }
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, scaled, vectors, 0, root);
    return gsl_matrix_ispos(root) ? 4 : 0;
}
