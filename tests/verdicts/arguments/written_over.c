// run: --sym-arg 3
int main(int argc, char **argv) {
    if (argc < 2) return 0;
    argv[1][1] = 'x'; //~ out_of_bounds
    return 0;
}
