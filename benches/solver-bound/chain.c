// Words that are hashed one after the other; bits of each value choose the way, and the next hash begins with it.
#define N 12
#include "input.h"

static uint16_t mix(uint16_t h, unsigned from, unsigned n) {
    for (unsigned i = 0; i < n; i++) h = (uint16_t)((h ^ in[from + i]) * 0x0193u + (h >> 7));
    return h;
}

int main(void) {
    read_input();
    uint16_t h = 0x811c;
    unsigned at = 0, score = 0;
    while (at < N) {
        unsigned n = at + 2 <= N ? 2 : 1;
        h = mix(h, at, n);
        if ((h & 3) == 1) score += 3;
        else if ((h >> 4 & 7) == 5) score += 7;
        if (h > 0xc000) {
            if (in[at] < in[at + n - 1]) score ^= 16;
        } else if (h % 100 < 20) {
            return 1;
        }
        if (score > 20 && (h & 0x700) == 0x300) return 2;
        at += n;
    }
    return h == 0x1234 ? 3 : (int)score;
}
