// run: --check memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,pedantic,overflow,bounds,uninit,function-type,memcmp,fp-cast,fp-overflow
/* What is defined, close to what is not: nothing of it is reported. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include "klee/klee.h"

static volatile int sink;

static void passes(const char *format, ...) {
    char out[64];
    va_list ap;
    va_start(ap, format);
    vsnprintf(out, sizeof out, format, ap);
    va_end(ap);
    sink = out[0];
}
static int mixed(int n, ...) {
    va_list ap, again;
    va_start(ap, n);
    va_copy(again, ap);
    int i = va_arg(ap, int);
    long l = va_arg(ap, long);
    double d = va_arg(ap, double);
    long double e = va_arg(ap, long double);
    char *p = va_arg(ap, char *);
    unsigned u = va_arg(again, unsigned);
    va_end(again);
    va_end(ap);
    return i + (int)l + (int)d + (int)e + *p + (int)u;
}
static void at_end(void) { sink = 1; }

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, 1, "n");
    char out[256];
    int chars;
    signed char few;
    intmax_t most = 1;
    snprintf(out, sizeof out, "%d %5i %-5.3u %#x %#o %08lX %hhd %hd %lld %jd %zu %td%n%hhn", n, n, 1u, 1u, 1u, 1ul, n, n, 1ll,
             most, sizeof out, (ptrdiff_t)1, &chars, &few);
    snprintf(out, sizeof out, "%c %lc %s %.3s %.*s %ls %-*s %p %% %m", n, L'x', "a", "abcd", 2, "abcd", L"x", 4, "b", (void *)out);
    snprintf(out, sizeof out, "%f %+.2f %#g %Lf %le %a %'d", 1.0, 1.0, 1.0, 1.0L, 1.0, 1.0, 1);
    snprintf(out, sizeof out, "%2$s %1$d", 1, "x");
    snprintf(out, sizeof out, "%" PRIu64 " %" PRId8, (uint64_t)1, (int8_t)n);
    snprintf(out, sizeof out, "%d", 1, 2, "more arguments than conversions");
    /* Which format it is depends on the input. */
    n > 3 ? snprintf(out, sizeof out, n > 9 ? "%d" : "%x", n) : snprintf(out, sizeof out, "%s", "x");
    passes("%s %f %d", "x", 1.0, n);
    sink = mixed(1, n, 1L, 1.0, 1.0L, out);
    int a, b;
    long c;
    float f;
    double d;
    char word[8], set[8];
    sink = sscanf("1 2 3 1.5 2.5 word abc", "%d%*d %ld %f %lf %7s %7[a-c]", &a, &c, &f, &d, word, set);
    b = n;
    sink = swprintf((wchar_t[8]){0}, 8, L"%d %ls", b, L"x");

    char text[16] = "abcdefg";
    strcpy(text + 8, text);
    strcpy(text + 4, text + 12);
    strncpy(text + 4, text, 4);
    strncpy(text, text + 4, 4);
    memset(text, 0, sizeof text);
    strcpy(text, "ab");
    strcpy(text + 8, "cd");
    strcat(text, text + 8);
    stpcpy(text + 6, text + 2);
    wchar_t wide[8] = L"abcdefg";
    wmemcpy(wide + 4, wide, 4);
    memcpy(text, text, 4);

    for (int i = EOF; i <= UCHAR_MAX; i++) sink = isalnum(i) + tolower(i) + ispunct(i);
    sink = isxdigit(n) + toupper(n) + isalpha(n);
    sink = (int)(imaxabs(INTMAX_MIN + 1) % 2);

    FILE *g = fopen("/tmp/file", "w+");
    if (!g) return 0;
    static char buffer[64];
    setvbuf(g, buffer, _IOFBF, sizeof buffer);
    fputs("text\n", g);
    rewind(g);
    sink = fgetc(g);
    ungetc('x', g);
    fseek(g, 0, SEEK_CUR);
    fputc('y', g);
    fflush(g);
    while (fgetc(g) != EOF) sink++;
    fputc('z', g);
    fseek(g, 0, SEEK_SET);
    sink = fgetc(g);
    fclose(g);
    if (n == 1) {
        fclose(stdin);
        return 0;
    }
    if (n == 2 && freopen("/tmp/file", "r", stdin)) sink = getchar();
    struct tm t = {.tm_mday = 1};
    strftime(out, sizeof out, "%a %A %b %B %c %d %e %F %H %I %j %m %M %n %p %r %R %S %t %T %u %U %V %w %W %x %X %y %Y %Z %% %Ey %Od", &t);
    atexit(at_end);
    exit(0);
}
