/* goto, into and out of loops, and computed goto (an interpreter). */
#include <stdio.h>

static int find(int m[4][4], int x) {
    int i, j;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++)
            if (m[i][j] == x) goto found;
    return -1;
found:
    return i * 10 + j;
}

static long interpret(const unsigned char *code) {
    static const void *const jump[] = {&&push, &&add, &&mul, &&dup, &&dec, &&jnz, &&swap, &&halt};
    long stack[16], *sp = stack;
    const unsigned char *pc = code;
#define NEXT goto *jump[*pc++]
    NEXT;
push: *sp++ = *pc++; NEXT;
add: sp--; sp[-1] += sp[0]; NEXT;
mul: sp--; sp[-1] *= sp[0]; NEXT;
dup: *sp = sp[-1]; sp++; NEXT;
dec: sp[-1]--; NEXT;
jnz: if (sp[-1]) pc = code + *pc; else pc++; NEXT;
swap: { long t = sp[-1]; sp[-1] = sp[-2]; sp[-2] = t; } NEXT;
halt: return sp[-2];
}

static int collatz(unsigned n) {
    int steps = 0;
again:
    if (n == 1) goto done;
    steps++;
    if (n % 2) { n = 3 * n + 1; goto again; }
    n /= 2;
    goto again;
done:
    return steps;
}

int main(void) {
    int m[4][4];
    for (int i = 0; i < 16; i++) m[i / 4][i % 4] = i * 3;
    printf("%d %d %d\n", find(m, 21), find(m, 45), find(m, 4));
    /* acc = 1, n = 10; do { acc = acc + acc + n; n--; } while (n) */
    const unsigned char code[] = {0, 1, 0, 10, 6, 3, 1, 6, 4, 5, 4, 7};
    printf("%ld\n", interpret(code));
    printf("%d %d\n", collatz(27), collatz(97));
    int i = 0;
    if (m[0][0] == 0) goto inside;
    while (i < 5) {
        printf("%d ", i);
    inside:
        i += 2;
    }
    puts("");
    return 0;
}
