static int down(int n, volatile int *above) {
    volatile int own[4] = {n, n, n, n};
    if (n == 0) return above[3];
    return down(n - 1, own);
}

int main(void) {
    return down(20000, 0) != 1;
}
