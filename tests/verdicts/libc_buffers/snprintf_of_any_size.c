#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    unsigned char x;
    int n;
    klee_make_symbolic(&x, 1, "x");
    klee_make_symbolic(&n, sizeof n, "n");
    char b[8];
    if (n > 8 || n < -2) return 0;
    if (snprintf(0, 0, "%d", 12345) != 5) return 1;
    if (snprintf(b, n, "ab") != 2) return 2; //~ misuse
    return 0;
}
