/* Huffman decoding by a two-level table, as inflate does it: entries with length, value and a link
   to a second table; canonical codes made from lengths. */
#include "klee/klee.h"
#include <stdint.h>

#define BITS 6
struct entry { uint16_t value; uint8_t length; uint8_t more; };
static struct entry table[(1 << BITS) + 64];

static const uint8_t length_of[24] = {3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8};

static void build(void) {
    unsigned code = 0, used = 1 << BITS;
    for (int len = 1; len <= 8; len++, code <<= 1)
        for (int s = 0; s < 24; s++) {
            if (length_of[s] != len) continue;
            unsigned reversed = 0;
            for (int i = 0; i < len; i++) reversed |= (code >> i & 1) << (len - 1 - i);
            code++;
            if (len <= BITS) {
                for (unsigned i = reversed; i < 1 << BITS; i += 1u << len)
                    table[i] = (struct entry){(uint16_t)(s * 11 + 300), (uint8_t)len, 0};
            } else {
                struct entry *link = &table[reversed & ((1 << BITS) - 1)];
                if (!link->more) {
                    *link = (struct entry){(uint16_t)used, BITS, 2};
                    used += 4;
                }
                unsigned high = reversed >> BITS;
                for (unsigned i = high; i < 4; i += 1u << (len - BITS))
                    table[link->value + i] = (struct entry){(uint16_t)(s * 11 + 300), (uint8_t)len, 0};
            }
        }
}

int main(void) {
    uint8_t in[4];
    build();
    klee_make_symbolic(in, sizeof in, "in");
    uint32_t bits = (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
    int left = 32, symbols = 0, big = 0;
    while (left >= 8 && symbols < 5) {
        struct entry e = table[bits & ((1 << BITS) - 1)];
        if (e.more) e = table[e.value + (bits >> BITS & 3)];
        if (!e.length) return 90;
        bits >>= e.length;
        left -= e.length;
        symbols++;
        if (e.value > 450) big++;
    }
    return symbols * 6 + big;
}
