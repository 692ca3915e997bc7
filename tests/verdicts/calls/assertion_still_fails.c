/* The neighbour: what is wrong in such a program is still found. */
static int g(int x) { return x + 41; }
static int keep(int p) {
    void (*volatile f)(int) = (void (*)(int))g;
    int a[4] = {0};
    f(1);
    return a[p]; //~ out_of_bounds
}
int main(void) {
    return keep(7);
}
