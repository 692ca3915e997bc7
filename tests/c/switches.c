/* switch: dense, sparse, ranges, negative, 64 bits, fall-through, nested, on characters. */
#include <stdint.h>
#include <stdio.h>

static int dense(int x) {
    switch (x) { case 0: return 5; case 1: return 3; case 2: return 9; case 3: return 1; case 4: return 7; case 5: return 2; default: return -1; }
}
static int sparse(int x) {
    switch (x) { case -1000: return 1; case -1: return 2; case 0: return 3; case 77: return 4; case 100000: return 5; case 2147483647: return 6; }
    return 0;
}
static int wide(int64_t x) {
    switch (x) { case INT64_MIN: return 1; case 0x100000000: return 2; case 0: return 3; case INT64_MAX: return 4; default: return 9; }
}
static int fall(int x) {
    int r = 0;
    switch (x) { case 3: r += 100; /* fall through */ case 2: r += 10; /* fall through */ case 1: r += 1; break; case 4: r = 7; /* fall through */ default: r -= 1; }
    return r;
}
static const char *range(unsigned char c) {
    switch (c) { case 'a' ... 'z': return "lower"; case 'A' ... 'Z': return "upper"; case '0' ... '9': return "digit"; case ' ': case '\t': return "blank"; }
    return "other";
}
static unsigned duff(unsigned n) {
    unsigned r = 0, k = (n + 3) / 4;
    if (n == 0) return 0;
    switch (n % 4) { case 0: do { r = r * 3 + 1; /* fall through */ case 3: r = r * 3 + 2; /* fall through */ case 2: r = r * 3 + 3; /* fall through */ case 1: r = r * 3 + 4; } while (--k); }
    return r;
}
static int machine(const char *s) {
    enum { START, NUM, WORD, END } state = START;
    int tokens = 0;
    for (;; s++) {
        switch (state) {
        case START: switch (*s) { case '0' ... '9': state = NUM; tokens++; break; case 0: state = END; break; case ' ': break; default: state = WORD; tokens += 10; } break;
        case NUM: if (*s < '0' || *s > '9') { state = START; s--; } break;
        case WORD: if (*s == ' ' || *s == 0) { state = START; s--; } break;
        case END: return tokens;
        }
    }
}
int main(void) {
    for (int i = -2; i < 8; i++) printf("%d ", dense(i));
    int v[] = {-1000, -1, 0, 1, 77, 78, 100000, 2147483647, -2147483647 - 1};
    for (int i = 0; i < 9; i++) printf("%d ", sparse(v[i]));
    int64_t w[] = {INT64_MIN, 0x100000000, 0, INT64_MAX, 1};
    for (int i = 0; i < 5; i++) printf("%d ", wide(w[i]));
    for (int i = 0; i < 6; i++) printf("%d ", fall(i));
    puts("");
    for (const char *p = "aZ5 \t!"; *p; p++) printf("%s ", range((unsigned char)*p));
    for (unsigned i = 0; i < 10; i++) printf("%u ", duff(i));
    printf("%d\n", machine("12 abc 7 x9 00"));
    return dense(3);
}
