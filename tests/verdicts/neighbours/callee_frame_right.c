static int sum(volatile int *caller) {
    volatile int own[8] = {1};
    return caller[7] + own[0] == 9;
}

int main(void) {
    volatile int a[8] = {0};
    return sum(a);
}
