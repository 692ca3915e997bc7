/* Cholesky's decomposition, and a system solved with it. */
#include "matrix.h"

int main(void)
{
    start();
    MATRIX(a, 3, 3);
    VECTOR(b, 3);
    gsl_vector *x = gsl_vector_alloc(3);
    if (gsl_linalg_cholesky_decomp1(&a.matrix)) return 1; /* not positive definite */
    if (gsl_linalg_cholesky_solve(&a.matrix, &b.vector, x)) return 2;
    double rcond;
    gsl_vector *work = gsl_vector_alloc(9);
    if (gsl_linalg_cholesky_rcond(&a.matrix, &rcond, work)) return 3;
    return rcond < 1e-3 ? 4 : gsl_vector_isnonneg(x) ? 5 : 0;
}
