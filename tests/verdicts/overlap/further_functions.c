// Copies between ranges that overlap, by functions that are rarely asked.
#define _GNU_SOURCE
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

int main(void) {
    unsigned char x, n, letter;
    klee_make_symbolic(&x, 1, "x");
    klee_make_symbolic(&n, 1, "n");
    klee_make_symbolic(&letter, 1, "letter");
    if (n > 8) return 0;
    char b[40] = "abcdef", c[40] = "%Y%d", d[40] = "abcdef";
    wchar_t w[40] = L"abcdef";
    struct tm t = {.tm_mday = 1};
    int i = 1;
    d[1] = letter;
    switch (x) {
    case 0: memccpy(b + 3, b, 'c', 10); break;
    case 1: memccpy(b + 3, b, 'd', 10); break; //~ overlap
    case 2: memccpy(b + 3, b, 'd', 3); break;
    case 3: memccpy(b, b + 3, 'f', 10); break;
    case 4: memccpy(b, b + 3, 'z', n); break; //~ overlap
    case 5: memccpy(d + 3, d, 'c', 10); break;
    case 6: memccpy(d + 2, d, 'b', 10); break; //~ overlap
    case 7: strlcpy(b + 7, b, 10); break;
    case 8: strlcpy(b + 2, b, 2); break; //~ overlap
    case 9: strlcpy(b, b + 2, 2); break;
    case 10: strlcpy(b, b + 2, n); break; //~ overlap
    case 11: strxfrm(b + 1, b, 10); break; //~ overlap
    case 12: swab(b, b + 6, 6); break;
    case 13: swab(b, b + 6, 8); break; //~ overlap
    case 14: swab(b, b + 4, -2); break;
    case 15: mbstowcs(w, (char *)w, 3); break; //~ overlap
    case 16: mbstowcs((wchar_t *)(b + 8), b, 8); break;
    case 17: wcstombs((char *)w, w, 8); break; //~ overlap
    case 18: wcstombs((char *)w + 32, w, 8); break;
    case 19: strftime(c, 20, c, &t); break; //~ overlap
    case 20: strftime(c, 20, c + 20, &t); break;
    case 21: snprintf(c, 20, c + 2, i); break;
    case 22: snprintf(c + 2, 20, c + 2, i); break; //~ overlap
    case 23: sscanf(b, "%s", b); break; //~ overlap
    case 24: sscanf(b, "%s", b + 10); break;
    case 25: mbstowcs(0, b, 0); break;
    }
    return 0;
}
