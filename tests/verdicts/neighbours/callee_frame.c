static int sum(volatile int *caller) {
    volatile int own[8] = {1};
    return caller[40] + own[0]; //~ out_of_bounds
}

int main(void) {
    volatile int a[8] = {0};
    return sum(a);
}
