/* A result that nobody takes does no harm: only --check pedantic tells of it. */
static int g(int x) { return x; }
int main(void) {
    void (*volatile f)(int) = (void (*)(int))g;
    f(1);
    return 0;
}
