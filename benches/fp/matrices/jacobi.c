/* Jacobi's iteration for a system of linear equations. */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 3, 3);
    VECTOR(b, 3);
    double x[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        double others = 0;
        for (int j = 0; j < 3; j++)
            if (j != i) others += fabs(gsl_matrix_get(&a.matrix, i, j));
        if (!(fabs(gsl_matrix_get(&a.matrix, i, i)) > others)) return 1; /* not diagonally dominant */
    }
    for (int step = 0; step < 10; step++) {
        double next[3], change = 0;
        for (int i = 0; i < 3; i++) {
            double sum = gsl_vector_get(&b.vector, i);
            for (int j = 0; j < 3; j++)
                if (j != i) sum -= gsl_matrix_get(&a.matrix, i, j) * x[j];
            next[i] = sum / gsl_matrix_get(&a.matrix, i, i);
            change = fmax(change, fabs(next[i] - x[i]));
        }
        for (int i = 0; i < 3; i++) x[i] = next[i];
        if (change < 1e-6) return 0;
    }
    return 2;
}
