// message: 36 bytes past the end of the global `first` of 64 bytes
char first[64], second[64], third[64];

int main(int argc, char **argv) {
    volatile int i = 99 + argc;
    first[i] = 1; //~ out_of_bounds
    return second[4] + third[4];
}
