/* The test for null of a parameter that is declared not to be null stays: no error here. */
__attribute__((nonnull)) static int get(int *p) {
    if (!p) return 0;
    return *p;
}
int main(void) {
    int *volatile p = 0;
    return get(p);
}
