#include <klee/klee.h>

int main(void) {
    if (klee_int("x") == 3) klee_report_error(__FILE__, __LINE__, "three", "three.err"); //~ report
    return 0;
}
