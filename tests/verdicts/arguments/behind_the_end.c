// run: --sym-arg 4
// message: argv[1]
int main(int argc, char **argv) {
    if (argc < 2) return 0;
    return argv[1][0] == 'a' && argv[1][3] == 'b'; //~ out_of_bounds
}
