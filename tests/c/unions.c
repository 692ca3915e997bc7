/* Unions and type punning through memory. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union pun { float f; uint32_t u; uint8_t b[4]; int16_t s[2]; };
union wide { double d; uint64_t u; struct { uint32_t lo, hi; } half; };
struct tagged { enum { INT, STR, PAIR, FUN } tag; union { long i; const char *s; struct { struct tagged *a, *b; } p; long (*f)(long); } v; };

static long twice(long x) { return 2 * x; }

static void show(const struct tagged *t) {
    switch (t->tag) {
    case INT: printf("%ld", t->v.i); break;
    case STR: printf("\"%s\"", t->v.s); break;
    case PAIR: putchar('('); show(t->v.p.a); putchar(' '); show(t->v.p.b); putchar(')'); break;
    case FUN: printf("f(%ld)", t->v.f(21)); break;
    }
}

static union wide half_swap(union wide w) { uint32_t t = w.half.lo; w.half.lo = w.half.hi; w.half.hi = t; return w; }

int main(void) {
    union pun p = {.f = 3.14159f};
    printf("%08x %02x%02x%02x%02x %d %d\n", p.u, p.b[0], p.b[1], p.b[2], p.b[3], p.s[0], p.s[1]);
    p.b[3] ^= 0x80;
    printf("%g\n", p.f);
    for (unsigned i = 0; i < 5; i++) { p.u = 0x3f800000u + (i << 23); printf("%g ", p.f); }
    union wide w = half_swap((union wide){.d = -1.5});
    printf("%016llx\n", (unsigned long long)w.u);
    struct tagged one = {INT, {.i = 1}}, text = {STR, {.s = "two"}}, fun = {FUN, {.f = twice}};
    struct tagged inner = {PAIR, {.p = {&one, &text}}}, outer = {PAIR, {.p = {&inner, &fun}}};
    show(&outer);
    puts("");
    unsigned char image[sizeof outer];
    memcpy(image, &outer, sizeof outer);
    struct tagged copy;
    memcpy(&copy, image, sizeof copy);
    show(&copy);
    puts("");
    uint8_t bytes[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (int i = 0; i < 2; i++) {
        uint64_t u; uint32_t v; uint16_t h;
        memcpy(&u, bytes + i, 8); memcpy(&v, bytes + i + 1, 4); memcpy(&h, bytes + 3 + i, 2);
        printf("%016llx %08x %04x\n", (unsigned long long)u, v, h);
    }
    return 0;
}
