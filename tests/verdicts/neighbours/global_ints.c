int first[10], second[10];

int main(int argc, char **argv) {
    volatile int i = 999 + argc;
    second[0] = 5;
    return first[i]; //~ out_of_bounds
}
