// Blocks that end in a checksum of two sums modulo a prime, as zlib's and Fletcher's are.
#define N 14
#include "input.h"

int main(void) {
    read_input();
    unsigned at = 0, blocks = 0, state = 0;
    while (at + 3 <= N) {
        unsigned length = 1 + (in[at] & 3), kind = in[at] >> 6;
        if (at + 1 + length + 2 > N) return 1;
        unsigned a = 1, b = blocks;
        for (unsigned i = 0; i <= length; i++) {
            a = (a + in[at + i]) % 251;
            b = (b + a) % 251;
        }
        if (in[at + length + 1] != a) {
            state |= 1;
        } else if (in[at + length + 2 < N ? at + length + 2 : N - 1] != b) {
            state |= 2;
        } else {
            blocks++;
            if (kind == state) state |= 4;
            if (a > b) state |= 8;
        }
        if (kind == 3 && in[at + 1] + in[at + length] > 400) state ^= 16;
        at += 1 + length + 2;
    }
    if (blocks > 1 && state == 12) return 2;
    return (int)state;
}
