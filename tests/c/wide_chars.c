/* Wide characters and multi-byte conversion. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
    wchar_t w[32], v[32];
    wcscpy(w, L"wide ");
    wcscat(w, L"string");
    printf("%zu %d %ls\n", wcslen(w), wcscmp(w, L"wide strinh") < 0, wcschr(w, L's'));
    for (wchar_t *p = w; *p; p++) *p = (wchar_t)towupper((wint_t)*p);
    printf("%ls %d %d\n", w, !!iswalpha(L'x'), !!iswdigit(L'x'));
    size_t n = mbstowcs(v, "ascii text", 32);
    char out[32];
    size_t m = wcstombs(out, v, sizeof out);
    printf("%zu %zu %s\n", n, m, out);
    setlocale(LC_ALL, "C.UTF-8");
    n = mbstowcs(v, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 32);
    printf("%d", (int)n);
    for (size_t i = 0; n != (size_t)-1 && i < n; i++) printf(" %x", (unsigned)v[i]);
    puts("");
    mbstate_t st;
    memset(&st, 0, sizeof st);
    char b[8] = {0};
    size_t k = wcrtomb(b, 0x20ac, &st);
    printf("%d", (int)k);
    for (size_t i = 0; k != (size_t)-1 && i < k; i++) printf(" %02x", (unsigned char)b[i]);
    puts("");
    wchar_t *end;
    printf("%ld ", wcstol(L"-77x", &end, 10));
    printf("%g\n", wcstod(L"2.5e3", NULL));
    printf("%ls\n", end);
    swprintf(v, 32, L"%d-%ls-%c", 5, L"w", 'c');
    printf("%ls\n", v);
    return 0;
}
