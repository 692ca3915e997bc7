// Without the check: it stays in the object.
struct s { int a[10]; int b; } x;

int main(int argc, char **argv) {
    volatile int i = 9 + argc;
    x.a[i] = 1;
    return x.b != 1;
}
