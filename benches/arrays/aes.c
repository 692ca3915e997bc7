/* Two rounds of a substitution-permutation network on a 4-byte block with the AES S-box, computed at
   start, and tables of multiples in GF(256). */
#include "klee/klee.h"
#include <stdint.h>

static uint8_t sbox[256], twice[256];

static uint8_t times(uint8_t a, uint8_t b) {
    uint8_t p = 0;
    for (; b; b >>= 1) {
        if (b & 1) p ^= a;
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    }
    return p;
}

static void tables(void) {
    uint8_t p = 1, q = 1;
    do {
        p = (uint8_t)(p ^ p << 1 ^ (p & 0x80 ? 0x1b : 0));
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        if (q & 0x80) q ^= 0x09;
        uint8_t x = (uint8_t)(q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5)
                              ^ (q << 4 | q >> 4));
        sbox[p] = x ^ 0x63;
    } while (p != 1);
    sbox[0] = 0x63;
    for (int i = 0; i < 256; i++) twice[i] = times((uint8_t)i, 2);
}

int main(void) {
    static const uint8_t key[3][4] = {{0x2b, 0x7e, 0x15, 0x16}, {0x28, 0xae, 0xd2, 0xa6}, {1, 2, 3, 4}};
    uint8_t s[4], t[4];
    tables();
    klee_make_symbolic(s, sizeof s, "block");
    int kind = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 4; i++) t[i] = sbox[s[i] ^ key[round][i]];
        for (int i = 0; i < 4; i++) {
            uint8_t a = t[i], b = t[(i + 1) & 3];
            s[i] = (uint8_t)(twice[a] ^ twice[b] ^ b ^ t[(i + 2) & 3] ^ t[(i + 3) & 3]);
            if (round == 0 && s[i] < 0x40) kind |= 1 << i;
        }
    }
    for (int i = 0; i < 4; i++)
        if ((s[i] ^ key[2][i]) > 0xc0) kind |= 16 << i;
    return kind & 0x7f;
}
