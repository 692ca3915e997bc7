#include <klee/klee.h>

int main(int argc, char **argv) {
    klee_assume(argc == 7); //~ user
    return 0;
}
