/* Bit-fields: signs, widths, straddling, zero width, in unions. */
#include <stdio.h>
#include <string.h>

struct flags { unsigned a : 1, b : 3, c : 12; int d : 5; unsigned : 0; unsigned e : 31; unsigned long long f : 45, g : 19; };
struct packed { unsigned char k : 3; unsigned short m : 9; unsigned x : 20; } __attribute__((packed));
union view { struct { unsigned lo : 4, hi : 4, rest : 24; } f; unsigned whole; };
struct boolean { _Bool yes : 1, no : 1; signed char tiny : 2; };

static int rotate(struct flags s) { return (int)(s.a + s.b * 2 + s.c * 3 + (unsigned)(s.d + 16) * 5); }

int main(void) {
    struct flags s;
    memset(&s, 0, sizeof s);
    for (int i = 0; i < 40; i++) {
        s.a = (unsigned)i; s.b = (unsigned)i & 7; s.c = (unsigned)(i * 97) & 0xfff; s.d = (i % 32) - 16;
        s.e = 0x7fffffffu - (unsigned)i; s.f = (1ull << 45) - 1 - (unsigned)i * 12345678ull; s.g = (unsigned)i * 1000u;
        s.c++; s.d = s.d / 2; s.f ^= s.g;
        printf("%u %u %u %d %u %llu %u %d\n", s.a, s.b, s.c, s.d, s.e, (unsigned long long)s.f, (unsigned)s.g, rotate(s));
    }
    unsigned char raw[sizeof s];
    memcpy(raw, &s, sizeof s);
    for (size_t i = 0; i < sizeof raw; i++) printf("%02x", raw[i]);
    printf(" %zu %zu\n", sizeof s, sizeof(struct packed));
    struct packed p = {5, 300, 0xabcde};
    p.m += 211; p.k--;
    memcpy(raw, &p, sizeof p);
    for (size_t i = 0; i < sizeof p; i++) printf("%02x", raw[i]);
    union view v = {.whole = 0xdeadbeef};
    printf(" %x %x %x\n", v.f.lo, v.f.hi, v.f.rest);
    v.f.hi = 3;
    printf("%x\n", v.whole);
    struct boolean b = {1, 0, 1};
    b.no = b.tiny; b.tiny = -2;
    printf("%d %d %d\n", b.yes, b.no, b.tiny);
    return s.b;
}
