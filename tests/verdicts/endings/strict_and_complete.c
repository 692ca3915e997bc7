// run: --strict
#include <klee/klee.h>

int main(void) { return klee_int("x") > 3; }
