// A sum of what was printed is larger than the buffer once something was cut.
// message: snprintf with size -1 (18446744073709551615)
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    char b[7];
    size_t n = 0;
    for (int i = 0; i < x % 4; i++)
        n += snprintf(b + n, sizeof b - n, "%d,", i + 100); //~ misuse
    return 0;
}
