// run: --check bounds
int m[3][4];

int main(int argc, char **argv) {
    volatile int j = 4 + argc;
    m[1][2] = 3;
    return m[0][j]; //~ out_of_bounds
}
