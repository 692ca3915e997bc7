// run: --check bounds
struct s { int a[10]; int b; } x;

int main(int argc, char **argv) {
    volatile int i = 9 + argc;
    x.a[i] = 1; //~ out_of_bounds
    return x.b;
}
