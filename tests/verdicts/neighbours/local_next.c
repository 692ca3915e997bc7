// message: local variable `a` of 16 bytes
int main(int argc, char **argv) {
    volatile char a[16] = {0}, b[16] = {0}, c[16] = {0};
    a[40 + argc] = 1; //~ out_of_bounds
    return b[3] + c[3];
}
