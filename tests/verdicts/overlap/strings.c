// Copies of strings between ranges that overlap, and next to those.
#include <klee/klee.h>
#include <string.h>
#include <wchar.h>

int main(void) {
    unsigned char x, n, letter;
    klee_make_symbolic(&x, 1, "x");
    klee_make_symbolic(&n, 1, "n");
    klee_make_symbolic(&letter, 1, "letter");
    if (n > 8) return 0;
    char b[40] = "abcdef", c[40] = "abcdef\0ghi";
    wchar_t w[40] = L"abcdef", v[40] = L"abcdef\0ghi";
    c[8] = letter;
    v[8] = letter;
    switch (x) {
    case 0: strncat(b, b + 2, 3); break;
    case 1: strncat(b, b + 2, 4); break;
    case 2: strncat(b, b + 2, 5); break; //~ overlap
    case 3: strncat(b, b + 2, n); break; //~ overlap
    case 4: strncat(c, c + 7, 1); break; //~ overlap
    case 5: strncat(c, c + 9, 2); break;
    case 6: strncat(c, c + 7, 0); break;
    case 7: strncat(c, c + 8, 2); break; //~ overlap
    case 8: strncat(c, c + 8, 1); break;
    case 10: wcscpy(w + 1, w); break; //~ overlap
    case 11: wcscpy(w + 7, w); break;
    case 12: wcscpy(w, w + 1); break; //~ overlap
    case 13: wcsncpy(w + 3, w, 3); break;
    case 14: wcsncpy(w + 3, w, 4); break; //~ overlap
    case 15: wcsncpy(w + 7, w, n); break;
    case 16: wcsncpy(w, w + 2, n); break; //~ overlap
    case 17: wcscat(w, w + 2); break; //~ overlap
    case 18: wcscat(v, v + 7); break; //~ overlap
    case 19: wcsncat(w, w + 2, 4); break;
    case 20: wcsncat(w, w + 2, 5); break; //~ overlap
    case 21: wcsncat(v, v + 8, 2); break; //~ overlap
    case 22: wcpcpy(w + 6, w); break; //~ overlap
    case 23: wmemcpy(w + 3, w, 3); break;
    case 24: wmemcpy(w + 3, w, 4); break; //~ overlap
    }
    return 0;
}
