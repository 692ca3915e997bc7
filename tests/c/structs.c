/* Structures by value in all sizes and classes, nested, flexible, as results. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct s1 { char c; };
struct s3 { char c[3]; };
struct s8 { int a, b; };
struct s12 { int a, b, c; };
struct s16 { long a; double b; };
struct f8 { float a, b; };
struct f12 { float a, b, c; };
struct d16 { double a, b; };
struct s24 { long a, b, c; };
struct big { int v[50]; };
struct nest { struct s3 x; struct { struct f8 f; short s; } y[2]; };
struct flex { int n; int v[]; };

static struct s1 f1(struct s1 x) { x.c++; return x; }
static struct s3 f3(struct s3 x) { x.c[1] = 'X'; return x; }
static struct s8 f8(struct s8 x) { return (struct s8){x.b, x.a}; }
static struct s12 f12(struct s12 x) { x.b *= 2; return x; }
static struct s16 f16(struct s16 x, int k) { x.a += k; x.b /= k; return x; }
static struct f8 ff8(struct f8 x) { return (struct f8){x.b * 2, x.a * 3}; }
static struct f12 ff12(struct f12 x) { return (struct f12){x.c, x.a, x.b}; }
static struct d16 fd16(struct d16 x) { return (struct d16){x.a + x.b, x.a - x.b}; }
static struct s24 f24(struct s24 x) { return (struct s24){x.c, x.a, x.b}; }
static struct big fbig(struct big x, struct s24 y) { x.v[49] += (int)y.a; x.v[0]--; return x; }
static struct nest fnest(struct nest n) { n.y[1].f.b += n.y[0].s; return n; }
static double many(int a, struct s16 b, double c, struct d16 d, long e, struct s24 f, struct f8 g, char h, struct s8 i) {
    return a + (double)b.a + b.b + c + d.a + d.b + (double)e + (double)f.b + g.a + g.b + h + i.a + i.b;
}

int main(void) {
    printf("%c %s\n", f1((struct s1){'a'}).c, (char[4]){f3((struct s3){"abc"}).c[0], f3((struct s3){"abc"}).c[1], 'z', 0});
    struct s8 a = f8((struct s8){1, 2});
    struct s12 b = f12((struct s12){3, 4, 5});
    struct s16 c = f16((struct s16){6, 7.0}, 2);
    struct f8 d = ff8((struct f8){1.5f, 2.5f});
    struct f12 e = ff12((struct f12){1, 2, 3});
    struct d16 f = fd16((struct d16){1.25, 0.25});
    struct s24 g = f24((struct s24){7, 8, 9});
    printf("%d %d %d %d %d %ld %g %g %g %g %g %g %g %g %ld %ld\n", a.a, a.b, b.a, b.b, b.c, c.a, c.b, d.a, d.b, e.a, e.b, e.c, f.a, f.b, g.a, g.c);
    struct big x;
    for (int i = 0; i < 50; i++) x.v[i] = i;
    struct big y = fbig(x, g), *py = &y;
    printf("%d %d %d %d\n", x.v[0], y.v[0], y.v[49], fbig(*py, g).v[49]);
    struct nest n = {{"ab"}, {{{1, 2}, 3}, {{4, 5}, 6}}}, m = fnest(n);
    printf("%g %g %s %d\n", n.y[1].f.b, m.y[1].f.b, m.x.c, m.y[1].s);
    printf("%g\n", many(1, c, 0.5, f, 1L << 33, g, d, 'c', a));
    struct flex *z = malloc(sizeof *z + 10 * sizeof(int));
    z->n = 10;
    for (int i = 0; i < 10; i++) z->v[i] = i * i;
    printf("%d %d %zu\n", z->v[9], z->n, offsetof(struct flex, v));
    free(z);
    struct nest arr[3] = {[1] = {.y = {[1] = {.s = 42}}}};
    printf("%d %d\n", arr[1].y[1].s, arr[2].y[0].s);
    struct big (*fp)(struct big, struct s24) = fbig;
    printf("%d\n", fp(y, (struct s24){1000, 0, 0}).v[49]);
    return 0;
}
