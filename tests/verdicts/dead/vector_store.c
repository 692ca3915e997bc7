/* A vector is stored where nobody reads. */
typedef int v4 __attribute__((vector_size(16)));
static void h(v4 *p) {
    *p = (v4){1, 2, 3, 4}; //~ out_of_bounds
}
int main(void) {
    int a[3] __attribute__((aligned(16)));
    h((v4 *)a);
    return 0;
}
