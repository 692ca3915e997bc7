static void fill(volatile int *p, int n) {
    for (int i = 0; i < n; i++) p[i] = i; //~ out_of_bounds
}

int main(int argc, char **argv) {
    volatile int a[8], b[8] = {0};
    fill(a, 7 + argc);
    fill(a, 40);
    return b[2];
}
