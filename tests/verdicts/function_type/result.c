/* Called as a function without result. */
// run: --check memory,function-type,pedantic
// message: is called as
static int g(int x) { return x; }
int main(void) {
    void (*volatile f)(int) = (void (*)(int))g;
    f(1); //~ function_type
    return 0;
}
