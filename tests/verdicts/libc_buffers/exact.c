// run: --check memory
/* Functions of libc on buffers that end where what they may touch ends, at each alignment and short length: no function
   reads or writes beyond. */
#define _GNU_SOURCE
#include "klee/klee.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* `size` bytes that end where their object does, at this alignment: a string of `a` where there is room for one. */
static char *make(int align, int size) {
    char *p = (char *)malloc(align + size) + align;
    memset(p, 'a', size);
    return p;
}
static char *text(int align, int n) {
    char *p = make(align, n + 1);
    p[n] = 0;
    return p;
}
static wchar_t *wide(int n) {
    wchar_t *p = malloc((n + 1) * sizeof *p);
    wmemset(p, L'a', n);
    p[n] = 0;
    return p;
}
static void done(void *p, int align) { free((char *)p - align); }

static void strings(int a, int n) {
    char *s = text(a, n), *t = text(15 - a, n), *d = make(a, n + 1), *e = make(a, n), *f = make(15 - a, n);
    volatile int sum = 0;
    sum += strlen(s) + strnlen(s, 99) + strnlen(e, n) + !strcmp(s, t) + !strncmp(e, f, n) + !strncmp(s, t, 99);
    sum += !memcmp(e, f, n) + (memchr(e, 'x', n) != 0) + (memchr(s, 0, 99) != 0) + (memrchr(e, 'x', n) != 0);
    sum += (strchr(s, 'x') != 0) + (strchr(s, 0) != 0) + (strrchr(s, 'x') != 0) + (*strchrnul(s, 'x') == 0);
    sum += strspn(s, "a") + strcspn(s, "x") + strcspn(s, "xy") + (strpbrk(s, "xy") != 0) + (strstr(s, t) != 0);
    sum += (strcasestr(s, t) != 0) + (memmem(e, n, f, n) != 0) + !strcasecmp(s, t) + !strncasecmp(e, f, n);
    sum += strcoll(s, t) + strverscmp(s, t) + (strstr(s, "aaaa") != 0) + (strstr(s, "ab") != 0);
    strcpy(d, s); stpcpy(d, s); strncpy(d, s, n + 1); strncpy(d, e, n); stpncpy(d, e, n); stpncpy(d, s, n + 1);
    strlcpy(d, s, n + 1); memcpy(d, e, n); mempcpy(d, e, n); memmove(d, e, n); memset(d, 'b', n + 1); memccpy(d, e, 'x', n);
    memccpy(d, s, 0, 99); strxfrm(d, s, n + 1); *d = 0; strcat(d, s); *d = 0; strncat(d, e, n); *d = 0; strlcat(d, s, n + 1);
    *d = 0; strncat(d, s, 99); strcpy(d, s); strtok(d, "x"); strcpy(d, s); char *at = d; strsep(&at, "x");
    free(strdup(s)); free(strndup(e, n)); free(strndup(s, 99)); bcopy(e, d, n); bzero(d, n + 1); swab(e, f, n);
    sum += (int)strtol(s, 0, 0) + atoi(s) + (int)strtod(s, 0) + (int)strtoul(s, 0, 16) + (int)atof(s) + (int)strtoll(s, 0, 36);
    snprintf(d, n + 1, "%s", s); snprintf(d, n + 1, "%.*s", n, e); sprintf(d, "%s", s); sscanf(s, "%s", d); sscanf(s, "%*s");
    FILE *out = fmemopen(make(0, n + 1), n + 1, "w");
    fputs(s, out); fflush(out); fclose(out);
    done(s, a); done(t, 15 - a); done(d, a); done(e, a); done(f, 15 - a);
}

static void wides(int a, int n) {
    char *s = text(a, n), *d = make(a, n + 1), *e = make(a, n);
    wchar_t *w = wide(n), *v = wide(n);
    const char *from = s;
    const wchar_t *wfrom = v;
    mbstate_t state = {0};
    volatile int sum = 0;
    sum += mbstowcs(0, s, 0) + mbstowcs(w, s, n + 1) + mbstowcs(w, s, n) + mbsrtowcs(0, &from, 0, &state);
    sum += mbsrtowcs(w, &from, n + 1, &state);
    from = e;
    sum += mbsnrtowcs(w, &from, n, n, &state) + mblen(e, n) + mbtowc(w, e, n) + mbrlen(e, n, &state) + mbrtowc(w, e, n, &state);
    sum += wcstombs(0, v, 0) + wcstombs(d, v, n + 1) + wcstombs(d, v, n) + wcsrtombs(d, &wfrom, n + 1, &state);
    wfrom = v;
    sum += wcsnrtombs(d, &wfrom, n, n, &state);
    wmemset(w, L'a', n), w[n] = 0;
    sum += wcslen(w) + wcsnlen(w, 99) + wcscmp(w, v) + wcsncmp(w, v, n) + wmemcmp(w, v, n) + (wmemchr(w, L'x', n) != 0);
    sum += (wcschr(w, L'x') != 0) + (wcsrchr(w, L'x') != 0) + wcsspn(w, L"a") + wcscspn(w, L"x") + (wcsstr(w, v) != 0);
    sum += (wcspbrk(w, L"xy") != 0) + wcscasecmp(w, v) + wcsncasecmp(w, v, n) + wcscoll(w, v) + (int)wcstol(w, 0, 0);
    sum += (int)wcstod(w, 0);
    wcscpy(w, v); wcpcpy(w, v); wcsncpy(w, v, n + 1); wcpncpy(w, v, n + 1); wmemcpy(w, v, n); wmemmove(w, v, n); wcsxfrm(w, v, n + 1);
    *w = 0; wcscat(w, v); *w = 0; wcsncat(w, v, n); free(wcsdup(v)); swprintf(w, n + 1, L"%ls", v);
    done(s, a); done(d, a); done(e, a); free(w); free(v);
}

int main(void) {
    setlocale(LC_ALL, "C.UTF-8");
    for (int align = 0; align < 16; align++)
        for (int n = 1; n < 10; n++) strings(align, n), wides(align, n);
    return 0;
}
