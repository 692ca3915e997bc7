#include <klee/klee.h>
#include <unistd.h>

int main(void) {
    char b[10] = "0123456789";
    int n = klee_range(0, 12, "n");
    return write(1, b, n) != n; //~ out_of_bounds
}
