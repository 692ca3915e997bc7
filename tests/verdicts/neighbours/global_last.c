char first[64], second[64], third[64];

int main(int argc, char **argv) {
    volatile int i = 62 + argc;
    first[i] = 1;
    return second[4] + third[4];
}
