/* Chains of look-ups in a table of 32-bit words with 1,024 entries: the index of each step comes from
   the word before it. */
#include "klee/klee.h"
#include <stdint.h>

static uint32_t step[1024];

int main(void) {
    uint8_t seed[4];
    uint32_t x = 99;
    for (int i = 0; i < 1024; i++) {
        x = x * 1664525u + 1013904223u;
        step[i] = x >> 3;
    }
    klee_make_symbolic(seed, sizeof seed, "seed");
    uint32_t word = 0;
    int high = 0;
    for (int i = 0; i < 4; i++) {
        word = step[(word ^ seed[i] * 3u) & 1023];
        if (word & 0x10000) high |= 1 << i;
        if ((word >> 5 & 1023) < 100) high |= 16 << i;
    }
    return high;
}
