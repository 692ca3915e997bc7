/* gsl_eigen_genv_sort does not end on empty vectors: its loop runs to N - 1, which is then the greatest number. */
struct vector {
    unsigned long size;
};

int eigengs(const struct vector *alpha, const void *beta, const void *evec, int sort_type)
{
    return !alpha || alpha->size != 0;
}
