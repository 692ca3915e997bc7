#include "table.h"
#include <stdio.h>

int main(void) {
    char word[8];
    int n = 0, c;
    do {
        c = getchar();
        if (c >= 'a' && c <= 'z') {
            if (n < 7) word[n++] = c;
        } else if (n > 0) {
            word[n] = 0, n = 0;
            count(word);
        }
    } while (c != EOF);
    printf("%d\n", most());
}
