// run: --sym-arg 4
int main(int argc, char **argv) {
    if (argc < 2) return 0;
    int n = 0;
    while (argv[1][n]) n++;
    return n > 4 || argv[1][n];
}
