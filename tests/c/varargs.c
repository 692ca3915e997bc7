/* Variable arguments: integers, floats, structures, copies, forwarding. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct small { int a, b; };
struct mixed { double d; long l; };
struct big { char text[40]; long n; };
struct floats { float x, y; };

static long sum(int count, ...) {
    va_list ap;
    va_start(ap, count);
    long total = 0;
    for (int i = 0; i < count; i++) total += va_arg(ap, int);
    va_end(ap);
    return total;
}

static void show(const char *kinds, ...) {
    va_list ap, again;
    va_start(ap, kinds);
    va_copy(again, ap);
    for (int pass = 0; pass < 2; pass++) {
        for (const char *k = kinds; *k; k++) {
            va_list *l = pass ? &again : &ap;
            switch (*k) {
            case 'i': printf("i%d ", va_arg(*l, int)); break;
            case 'l': printf("l%ld ", va_arg(*l, long)); break;
            case 'd': printf("d%g ", va_arg(*l, double)); break;
            case 'D': printf("D%Lg ", va_arg(*l, long double)); break;
            case 's': printf("s%s ", va_arg(*l, char *)); break;
            case 'S': { struct small s = va_arg(*l, struct small); printf("S%d,%d ", s.a, s.b); break; }
            case 'M': { struct mixed m = va_arg(*l, struct mixed); printf("M%g,%ld ", m.d, m.l); break; }
            case 'B': { struct big b = va_arg(*l, struct big); printf("B%s,%ld ", b.text, b.n); break; }
            case 'F': { struct floats f = va_arg(*l, struct floats); printf("F%g,%g ", f.x, f.y); break; }
            case 'q': printf("q%d ", (int)(va_arg(*l, __int128) >> 64)); break;
            }
        }
        puts("");
    }
    va_end(again);
    va_end(ap);
}

static int forward(char *out, size_t n, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int r = vsnprintf(out, n, format, ap);
    va_end(ap);
    return r;
}

int main(void) {
    struct small s = {1, -2};
    struct mixed m = {2.5, 99};
    struct big b = {"a larger structure", 12345};
    struct floats f = {1.25f, -8.5f};
    printf("%ld %ld\n", sum(3, 1, 2, 3), sum(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    show("iiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9);
    show("dddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.);
    show("idlsDiSMBFq", 7, 0.5, 1L << 40, "text", 1.5L, 8, s, m, b, f, (__int128)5 << 64);
    show("DiDq", 1.0L, 1, 2.0L, (__int128)-3 << 64);
    show("SSSSSS", s, s, s, s, s, s);
    show("MFMFMFMF", m, f, m, f, m, f, m, f);
    char out[64];
    int n = forward(out, sizeof out, "%s %d %.2f %c", "fwd", 5, 2.5, 'z');
    printf("%d %s\n", n, out);
    int (*call)(char *, size_t, const char *, ...) = strlen(out) > 3 ? forward : snprintf;
    call(out, sizeof out, "<%d%s>", 1, "x");
    puts(out);
    return 0;
}
