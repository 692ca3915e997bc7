/* A vector that nobody uses. */
typedef int v4 __attribute__((vector_size(16)));
static void h(v4 *p) {
    v4 v = *p; //~ out_of_bounds
}
int main(void) {
    int a[3] __attribute__((aligned(16))) = {0};
    h((v4 *)a);
    return 0;
}
