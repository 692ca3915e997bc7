/* What the programs of this folder share: matrices of symbolic numbers, and classes of results that become branches. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit.h>
#include <klee/klee.h>
#include <math.h>

#define SYMBOLIC(v) klee_make_symbolic(&(v), sizeof(v), #v)

/* A view of a symbolic array. */
#define MATRIX(name, rows, columns)                                                                                    \
    double name##_of[(rows) * (columns)];                                                                              \
    klee_make_symbolic(name##_of, sizeof name##_of, #name);                                                            \
    gsl_matrix_view name = gsl_matrix_view_array(name##_of, rows, columns)

#define VECTOR(name, size)                                                                                             \
    double name##_of[size];                                                                                            \
    klee_make_symbolic(name##_of, sizeof name##_of, #name);                                                            \
    gsl_vector_view name = gsl_vector_view_array(name##_of, size)

/* An error of the library is a result, not the end. */
static inline void start(void)
{
    gsl_set_error_handler_off();
}
