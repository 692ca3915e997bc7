/* Variable arguments in general registers, vector registers and on the stack, after fixed parameters of each kind. */
#include <stdarg.h>
#include <stdio.h>

struct pair { long a, b; };
struct mixed { double d; int i; };
struct floats { float x, y; };
struct quad { float x, y, z, w; };
struct big { long v[4]; };
union word { int i; float f; };

static void show(int count, const char *kinds, ...)
{
    va_list ap, again;
    va_start(ap, kinds);
    va_copy(again, ap);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count; i++) {
            switch (kinds[i]) {
            case 'i': printf(" i%d", va_arg(ap, int)); break;
            case 'l': printf(" l%ld", va_arg(ap, long)); break;
            case 'd': printf(" d%g", va_arg(ap, double)); break;
            case 'L': printf(" L%Lg", va_arg(ap, long double)); break;
            case 's': printf(" s%s", va_arg(ap, char *)); break;
            case 'p': { struct pair p = va_arg(ap, struct pair); printf(" p%ld,%ld", p.a, p.b); break; }
            case 'm': { struct mixed m = va_arg(ap, struct mixed); printf(" m%g,%d", m.d, m.i); break; }
            case 'f': { struct floats f = va_arg(ap, struct floats); printf(" f%g,%g", f.x, f.y); break; }
            case 'q': { struct quad q = va_arg(ap, struct quad); printf(" q%g,%g,%g,%g", q.x, q.y, q.z, q.w); break; }
            case 'b': { struct big b = va_arg(ap, struct big); printf(" b%ld,%ld", b.v[0], b.v[3]); break; }
            case 'u': { union word u = va_arg(ap, union word); printf(" u%d", u.i); break; }
            case 'x': { __int128 x = va_arg(ap, __int128); printf(" x%ld,%ld", (long)(x >> 64), (long)x); break; }
            }
        }
        if (!round) {
            va_end(ap);
            va_copy(ap, again);
            va_end(again);
        }
    }
    va_end(ap);
    printf("\n");
}

/* Six general and one vector register are gone before the dots. */
static double tail(int a, int b, int c, int d, double x, int e, int f, int count, ...)
{
    va_list ap;
    va_start(ap, count);
    double sum = a + b + c + d + x + e + f;
    for (int i = 0; i < count; i++)
        sum = sum * 3 + va_arg(ap, double) - va_arg(ap, int);
    va_end(ap);
    return sum;
}

static struct big give(struct big by_value, int count, ...)
{
    va_list ap;
    va_start(ap, count);
    for (int i = 0; i < count; i++)
        by_value.v[i % 4] += va_arg(ap, long);
    va_end(ap);
    return by_value;
}

int main(void)
{
    struct pair p = {1, -2};
    struct mixed m = {2.5, 7};
    struct floats f = {0.5f, -1.5f};
    struct quad q = {1, 2, 3, 4};
    struct big b = {{10, 20, 30, 40}};
    union word u = {.i = 77};
    __int128 x = ((__int128)5 << 64) | 9;
    show(12, "iiiiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    show(12, "dddddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.);
    show(10, "idldsdLipm", 1, 2., 3L, 4., "five", 6., 7.0L, 8, p, m);
    show(8, "pippmmpl", p, 4, p, p, m, m, p, 99L);
    show(9, "fqfqfqfqf", f, q, f, q, f, q, f, q, f);
    show(7, "bibdbub", b, 1, b, 2., b, u, b);
    show(6, "umfmfd", u, m, f, m, f, 3.);
    show(5, "LiLdL", 1.0L, 2, 3.0L, 4., 5.0L);
    show(3, "ixi", 1, x, 2);
    printf("%g\n", tail(1, 2, 3, 4, .5, 5, 6, 4, 1., 1, 2., 2, 3., 3, 4., 4));
    struct big r = give(b, 9, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    printf("%ld %ld %ld %ld\n", r.v[0], r.v[1], r.v[2], r.v[3]);
    return 0;
}
