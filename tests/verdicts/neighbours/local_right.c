int main(int argc, char **argv) {
    volatile char a[16] = {0}, b[16] = {0}, c[16] = {0};
    a[14 + argc] = 1;
    return b[3] + c[3];
}
