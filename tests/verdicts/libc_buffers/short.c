// run: --check memory
/* The same functions where one byte is missing, each at each alignment: whatever reads or writes it is told. */
#define _GNU_SOURCE
#include "klee/klee.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { N = 5 };
static char *make(int align, int c) {
    char *p = (char *)malloc(align + N) + align;
    memset(p, c, N);
    return p;
}
int main(void) {
    setlocale(LC_ALL, "C.UTF-8");
    int a = klee_range(0, 16, "align");
    for (int i = 0; i < 16; i++) if (i == a) a = i;
    char s[N + 1] = "aaaaa", l[32];
    wchar_t w[32], v[N + 1] = L"aaaaa", *x = malloc(N * sizeof *x);
    char *e = make(a, 'a'), *d = make(a, 'a'), *g = make(a, '1');
    wmemset(x, L'a', N);
    volatile long sum = 0;
    switch (klee_range(0, 55, "function")) {
    case 0: sum = (long)strlen(e); break; //~ out_of_bounds
    case 1: sum = (long)strnlen(e, N + 1); break; //~ out_of_bounds
    case 2: sum = (long)strcmp(e, s); break; //~ out_of_bounds
    case 3: sum = (long)strncmp(e, s, N + 1); break; //~ out_of_bounds
    case 4: sum = (long)memchr(e, 'x', N + 1); break; //~ out_of_bounds
    case 5: sum = (long)memrchr(e, 'x', N + 1); break; //~ out_of_bounds
    case 6: sum = (long)strchr(e, 'x'); break; //~ out_of_bounds
    case 7: sum = (long)strrchr(e, 'x'); break; //~ out_of_bounds
    case 8: sum = (long)strchrnul(e, 'x'); break; //~ out_of_bounds
    case 9: sum = (long)strspn(e, "a"); break; //~ out_of_bounds
    case 10: sum = (long)strcspn(e, "x"); break; //~ out_of_bounds
    case 11: sum = (long)strpbrk(e, "xy"); break; //~ out_of_bounds
    case 12: sum = (long)strstr(e, "ab"); break; //~ out_of_bounds
    case 13: sum = (long)memmem(e, N + 1, "ab", 2); break; //~ out_of_bounds
    case 14: sum = (long)strcasecmp(e, s); break; //~ out_of_bounds
    case 15: sum = (long)strcpy(d, s); break; //~ out_of_bounds
    case 16: sum = (long)stpcpy(d, s); break; //~ out_of_bounds
    case 17: sum = (long)strncpy(d, s, N + 1); break; //~ out_of_bounds
    case 18: sum = (long)stpncpy(d, s, N + 1); break; //~ out_of_bounds
    case 19: sum = (long)strlcpy(d, s, N + 1); break; //~ out_of_bounds
    case 20: sum = (long)strlcpy(l, e, 2); break; //~ out_of_bounds
    case 21: sum = (long)memccpy(d, s, 0, N + 1); break; //~ out_of_bounds
    case 22: sum = (long)memccpy(l, e, 'x', N + 1); break; //~ out_of_bounds
    case 23: sum = (long)strcpy(l, e); break; //~ out_of_bounds
    case 24: sum = (long)stpcpy(l, e); break; //~ out_of_bounds
    case 25: sum = (long)stpncpy(l, e, N + 1); break; //~ out_of_bounds
    case 26: sum = (long)strncpy(l, e, N + 1); break; //~ out_of_bounds
    case 27: sum = (long)strdup(e); break; //~ out_of_bounds
    case 28: sum = (long)strndup(e, N + 1); break; //~ out_of_bounds
    case 29: sum = (long)memcpy(d, s, N + 1); break; //~ out_of_bounds
    case 30: sum = (long)memmove(d, s, N + 1); break; //~ out_of_bounds
    case 31: sum = (long)memset(d, 0, N + 1); break; //~ out_of_bounds
    case 32: sum = (long)mempcpy(d, s, N + 1); break; //~ out_of_bounds
    case 33: sum = (long)mbstowcs(0, e, 0); break; //~ out_of_bounds
    case 34: sum = (long)mbstowcs(w, e, 9); break; //~ out_of_bounds
    case 35: sum = (long)mbsrtowcs(0, (const char *[]){e}, 0, 0); break; //~ out_of_bounds
    case 36: sum = (long)mbsrtowcs(w, (const char *[]){e}, 9, 0); break; //~ out_of_bounds
    case 37: sum = (long)mbsnrtowcs(w, (const char *[]){e}, N + 1, 9, 0); break; //~ out_of_bounds
    case 38: sum = (long)mbstowcs(x, s, N + 1); break; //~ out_of_bounds
    case 39: sum = (long)wcslen(x); break; //~ out_of_bounds
    case 40: sum = (long)wcscpy(w, x); break; //~ out_of_bounds
    case 41: sum = (long)wcscpy(x, v); break; //~ out_of_bounds
    case 42: sum = (long)wcscmp(x, v); break; //~ out_of_bounds
    case 43: sum = (long)wmemchr(x, L'x', N + 1); break; //~ out_of_bounds
    case 44: sum = (long)wcstombs(d, v, N + 1); break; //~ out_of_bounds
    case 45: sum = (long)wcsrtombs(d, (const wchar_t *[]){v}, N + 1, 0); break; //~ out_of_bounds
    case 46: sum = (long)wcsdup(x); break; //~ out_of_bounds
    case 47: sum = (long)snprintf(d, N + 1, "%s", s); break; //~ out_of_bounds
    case 48: sum = (long)sprintf(d, "%s", s); break; //~ out_of_bounds
    case 49: sum = (long)snprintf(l, 20, "%s", e); break; //~ out_of_bounds
    case 50: sum = (long)sscanf(s, "%s", d); break; //~ out_of_bounds
    case 51: sum = (long)sscanf(e, "%s", l); break; //~ out_of_bounds
    case 52: sum = (long)strtol(g, 0, 10); break; //~ out_of_bounds
    case 53: sum = (long)atoi(g); break; //~ out_of_bounds
    case 54: sum = (long)strtod(g, 0); break; //~ out_of_bounds
    }
    return sum == 42;
}
