/* A complex number that nobody uses. */
static void h(_Complex double *p) {
    _Complex double z = *p; //~ out_of_bounds
}
int main(void) {
    double d = 1;
    h((_Complex double *)&d);
    return 0;
}
