#include <klee/klee.h>
#include <unistd.h>

int main(void) {
    char path[3];
    klee_make_symbolic(path, sizeof path, "path");
    klee_assume((path[0] != 0) & (path[1] != 0) & (path[0] != '/') & (path[0] != '.'));
    return access(path, F_OK) == 0; //~ out_of_bounds
}
