/* Called with fewer arguments than the function takes. */
// run: --check function-type
static int g(int x, int y) { return x + y; }
int main(void) {
    int (*volatile f)(int) = (int (*)(int))g;
    return f(1) == 7; //~ function_type
}
