/* Table-driven CRC-16/CCITT and CRC-32 of a short message, then a frame check: is the trailer right,
   and which bytes of the register are printable? */
#include "klee/klee.h"
#include <stdint.h>

static uint16_t ccitt[256];
static uint32_t ieee[256];

static void tables(void) {
    for (unsigned i = 0; i < 256; i++) {
        uint32_t c = i, d = i << 8;
        for (int k = 0; k < 8; k++) {
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
            d = d & 0x8000 ? d << 1 ^ 0x1021 : d << 1;
        }
        ieee[i] = c;
        ccitt[i] = (uint16_t)d;
    }
}

int main(void) {
    uint8_t frame[8];
    tables();
    klee_make_symbolic(frame, sizeof frame, "frame");
    uint16_t a = 0xffff;
    uint32_t b = ~0u;
    int kind = 0;
    for (int i = 0; i < 4; i++) {
        a = (uint16_t)(a << 8) ^ ccitt[(a >> 8 ^ frame[i]) & 255];
        b = b >> 8 ^ ieee[(b ^ frame[i]) & 255];
        if (a & 0x8000) kind |= 1 << i;
        if ((b & 0xff) < 64) kind |= 16 << i;
    }
    if ((a >> 8) == frame[4] && (a & 255) == frame[5]) kind |= 256;
    if ((b & 0xffff) == ((uint32_t)frame[6] << 8 | frame[7])) kind |= 512;
    return kind != 0;
}
