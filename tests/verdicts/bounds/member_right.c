// run: --check bounds
struct s { int a[10]; int b; } x;

int main(int argc, char **argv) {
    volatile int i = 8 + argc;
    x.a[i] = 1;
    return x.b;
}
