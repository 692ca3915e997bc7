// run: --memory 400
static int down(volatile int *p, int n) {
    volatile int a[10];
    a[n % 10] = n;
    return down(p, n + 1) + a[0] + *p; //~ stack_overflow
}

int main(void) {
    int x = 0;
    return down(&x, 0);
}
