#include <stdio.h>
#include <string.h>

/* The value of a Roman numeral of I, V and X, or 0. */
int main(int argc, char **argv) {
    int sum = 0, last = 0;
    for (const char *s = argc > 1 ? argv[1] : ""; *s; s++) {
        const char *digit = strchr("IVX", *s);
        if (!digit) return 1;
        int value = *digit == 'I' ? 1 : *digit == 'V' ? 5 : 10;
        sum += value > last ? value - 2 * last : value;
        last = value;
    }
    printf("%d\n", sum);
}
