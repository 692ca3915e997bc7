// run: --check bounds
struct s { int a[10]; int b; } x;

int main(void) {
    return x.a[10]; //~ out_of_bounds
}
