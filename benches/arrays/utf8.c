/* UTF-8 decoding by a table-driven automaton in the style of Hoehrmann: a class per byte, a state
   per class, both bytes of one table. */
#include "klee/klee.h"
#include <stdint.h>

enum { OK, BAD, S1, S2, S3, E0, ED, F0, F4, STATES };
static uint8_t class_of[256];
static uint8_t next[STATES * 12];

static void init(void) {
    for (int b = 0; b < 256; b++)
        class_of[b] = b < 0x80 ? 0 : b < 0x90 ? 1 : b < 0xa0 ? 2 : b < 0xc0 ? 3 : b < 0xc2 ? 4
            : b < 0xe0 ? 5 : b == 0xe0 ? 6 : b == 0xed ? 7 : b < 0xf0 ? 8 : b == 0xf0 ? 9
            : b < 0xf4 ? 10 : b == 0xf4 ? 11 : 4;
    for (int i = 0; i < STATES * 12; i++) next[i] = BAD;
    static const uint8_t first[12] = {OK, BAD, BAD, BAD, BAD, S1, E0, ED, S2, F0, S3, F4};
    for (int c = 0; c < 12; c++) next[OK * 12 + c] = first[c];
    for (int c = 1; c < 4; c++) {
        next[S1 * 12 + c] = OK;
        next[S2 * 12 + c] = S1;
        next[S3 * 12 + c] = S2;
    }
    next[E0 * 12 + 3] = S1;
    next[ED * 12 + 1] = next[ED * 12 + 2] = S1;
    next[F0 * 12 + 2] = next[F0 * 12 + 3] = S2;
    next[F4 * 12 + 1] = S2;
}

int main(void) {
    uint8_t text[9];
    init();
    klee_make_symbolic(text, sizeof text, "text");
    uint32_t point = 0;
    uint8_t state = OK;
    int points = 0, wide = 0;
    for (unsigned i = 0; i < sizeof text; i++) {
        uint8_t class = class_of[text[i]];
        point = state == OK ? (0xffu >> (class > 4 ? 3 : 1)) & text[i] : point << 6 | (text[i] & 63);
        state = next[state * 12 + class];
        if (state == BAD) return 100 + (int)i;
        if (state == OK) {
            points++;
            if (point >= 0x3040 && point < 0x3100) wide++;
        }
    }
    return state == OK ? points * 10 + wide : 99;
}
