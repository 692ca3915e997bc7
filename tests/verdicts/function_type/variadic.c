/* A variadic function called without its dots. */
// run: --check function-type,pedantic
static int g(int x, ...) { return x; }
int main(void) {
    int (*volatile f)(int, int) = (int (*)(int, int))g;
    return f(1, 2) == 7; //~ function_type
}
