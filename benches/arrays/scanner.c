/* A scanner with compressed tables in the way of flex (base, def, next, check, accept, classes) for
   identifiers, numbers, operators and keywords of a small language. The tables are packed at start
   from a plain transition matrix. */
#include "klee/klee.h"
#include <stdint.h>
#include <string.h>

#define STATES 22
#define CLASSES 14
static uint8_t ec[256];
static int16_t full[STATES][CLASSES];
static int16_t base[STATES], next[400], check[400];
static int16_t accept[STATES];

static int class(uint8_t c) {
    switch (c) {
    case 0: return 0;
    case ' ': case '\n': case '\t': return 1;
    case '0': return 2;
    case 'x': return 4;
    case 'i': return 5;
    case 'f': return 6;
    case 'e': return 7;
    case '<': return 9;
    case '=': return 10;
    case '/': return 11;
    case '*': return 12;
    case '"': return 13;
    }
    if (c >= '1' && c <= '9') return 3;
    if ((c >= 'a' && c <= 'z') || c == '_') return 8;
    return 0;
}

static void rule(int from, int cls, int to) { full[from][cls] = (int16_t)to; }

static void tables(void) {
    memset(full, 0, sizeof full);
    for (int c = 0; c < 256; c++) ec[c] = (uint8_t)class((uint8_t)c);
    rule(1, 1, 2); rule(2, 1, 2);                         /* blanks */
    rule(1, 2, 3); rule(1, 3, 4); rule(4, 2, 4); rule(4, 3, 4); /* numbers */
    rule(3, 4, 5); rule(5, 2, 6); rule(5, 3, 6); rule(5, 6, 6); rule(5, 7, 6);
    rule(6, 2, 6); rule(6, 3, 6); rule(6, 6, 6); rule(6, 7, 6);
    for (int c = 4; c <= 8; c++) {
        rule(1, c, 7);
        for (int s = 7; s <= 9; s++) { rule(s, c, 7); rule(s, 2, 7); rule(s, 3, 7); }
    }
    rule(1, 5, 8); rule(8, 6, 9);                         /* "if" */
    rule(4, 7, 10); rule(10, 2, 11); rule(10, 3, 11); rule(11, 2, 11); rule(11, 3, 11); /* exponent */
    rule(1, 9, 12); rule(12, 9, 13); rule(12, 10, 14);
    rule(1, 10, 15); rule(15, 10, 16);
    rule(1, 11, 17); rule(17, 12, 18);
    for (int c = 1; c < CLASSES; c++) rule(18, c, c == 12 ? 19 : 18);
    for (int c = 1; c < CLASSES; c++) rule(19, c, c == 11 ? 20 : c == 12 ? 19 : 18);
    rule(1, 13, 21);
    for (int c = 1; c < CLASSES; c++) rule(21, c, c == 13 ? 20 : 21);
    static const int16_t acc[STATES] = {0, 0, 1, 2, 2, 0, 3, 4, 4, 5, 0, 6, 7, 8, 9, 10, 11, 12, 0, 0, 13, 0};
    memcpy(accept, acc, sizeof acc);
    for (int i = 0; i < 400; i++) check[i] = -1;
    for (int s = 1; s < STATES; s++)
        for (int b = 0;; b++) {
            int ok = 1;
            for (int c = 0; c < CLASSES; c++) ok &= !full[s][c] || check[b + c] < 0;
            if (!ok) continue;
            base[s] = (int16_t)b;
            for (int c = 0; c < CLASSES; c++)
                if (full[s][c]) {
                    next[b + c] = full[s][c];
                    check[b + c] = (int16_t)s;
                }
            break;
        }
}

int main(void) {
    uint8_t text[7];
    tables();
    klee_make_symbolic(text, sizeof text, "text");
    int tokens = 0, last = 0, i = 0, n = sizeof text;
    while (i < n) {
        int state = 1, act = 0, end = i;
        for (int j = i; j < n; j++) {
            int at = base[state] + ec[text[j]];
            if (check[at] != state) break;
            state = next[at];
            if (accept[state]) {
                act = accept[state];
                end = j + 1;
            }
        }
        if (!act) return 100 + tokens;
        if (act != 1) tokens++;
        last = act;
        i = end;
    }
    return tokens * 14 + last;
}
