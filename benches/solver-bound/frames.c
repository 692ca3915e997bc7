// Frames of a length, a kind, a payload and a checksum of eight bits by a table (CRC-8), one after the other.
#define N 15
#include "input.h"

static uint8_t table[256];

int main(void) {
    for (unsigned i = 0; i < 256; i++) {
        uint8_t c = (uint8_t)i;
        for (int k = 0; k < 8; k++) c = (uint8_t)(c & 0x80 ? c << 1 ^ 0x07 : c << 1);
        table[i] = c;
    }
    read_input();
    unsigned at = 0, good = 0, bad = 0, kinds = 0;
    while (at + 3 <= N) {
        unsigned length = in[at] & 7, kind = in[at + 1] & 3;
        if (at + 3 + length > N) break;
        uint8_t crc = table[in[at] ^ in[at + 1]];
        for (unsigned i = 0; i < length; i++) crc = table[crc ^ in[at + 2 + i]];
        if (crc != in[at + 2 + length]) {
            if (++bad > 2) return 1;
            at++;
            continue;
        }
        good++;
        kinds |= 1u << kind;
        if (kind == 1 && length >= 2) {
            if (be16(at + 2) > 1000 * good) kinds |= 16;
        } else if (kind == 2) {
            if (length == 0 || in[at + 2] % 10 > 7) kinds |= 32;
        }
        at += 3 + length;
    }
    if (good == 3 && kinds == 19) return 2;
    return (int)(good * 4 + bad);
}
