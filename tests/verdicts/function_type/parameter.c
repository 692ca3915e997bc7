/* Called with a long for an int. */
// run: --check function-type,pedantic
static int g(int x) { return x; }
int main(void) {
    int (*volatile f)(long) = (int (*)(long))g;
    return f(1) == 7; //~ function_type
}
