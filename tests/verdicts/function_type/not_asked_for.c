/* Without the check nothing is said. */
static int g(int x) { return x; }
int main(void) {
    void (*volatile f)(int) = (void (*)(int))g;
    f(1);
    return 0;
}
