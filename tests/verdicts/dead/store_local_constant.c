/* The same at a known index, through a pointer. */
static void h(void) {
    int a[4];
    int *p = a;
    p[5] = 1; //~ out_of_bounds
}
int main(void) {
    h();
    return 0;
}
