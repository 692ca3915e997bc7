// run: --check bounds
struct s { int a[10]; int b; } x;

int main(int argc, char **argv) {
    volatile int n = 9 + argc;
    int *end = &x.a[n], sum = 0;
    for (int *p = x.a; p != end; p++) sum += *p;
    return sum;
}
