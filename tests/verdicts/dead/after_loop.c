/* A loop whose result nobody uses. */
static void h(const int *a, int n) {
    int last = 0;
    for (int i = 0; i <= n; i++) last = a[i]; //~ out_of_bounds
}
int main(void) {
    int a[3] = {1, 2, 3};
    h(a, 3);
    return 0;
}
