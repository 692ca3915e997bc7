static int down(int n, volatile int *above) {
    volatile int own[4] = {n, n, n, n};
    if (n == 0) return above[8]; //~ out_of_bounds
    return down(n - 1, own);
}

int main(void) {
    return down(100, 0);
}
