/* Singular values above a threshold, by the method of Golub and Reinsch. */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 4, 3);
    double threshold;
    SYMBOLIC(threshold);
    if (!(threshold > 0)) return 10;
    gsl_matrix *v = gsl_matrix_alloc(3, 3);
    gsl_vector *values = gsl_vector_alloc(3), *work = gsl_vector_alloc(3);
    if (gsl_linalg_SV_decomp(&a.matrix, v, values, work)) return 11;
    int above = 0;
    for (int i = 0; i < 3; i++) above += gsl_vector_get(values, i) > threshold;
    return above;
}
