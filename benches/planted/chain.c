// Hashes chained over pairs of bytes: each link has to be right for the next one to be looked at.
#define N 12
#include "input.h"

static uint32_t mix(uint32_t h, uint32_t v) {
    h ^= v;
    h *= 0x9e3779b1u;
    return h ^ h >> 15;
}

int main(void) {
    uint32_t h = 7;
    read_input();
    for (int i = 0; i + 1 < N; i += 2) {
        h = mix(h, in[i] | in[i + 1] << 8);
        if ((h & 0x3f) != (uint32_t)(5 * i + 3)) return i;
    }
    planted();
    return 0;
}
