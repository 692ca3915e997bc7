// Words are known by their hashes in a table with open addressing; what they mean decides how the next one is read.
#define N 14
#include "input.h"

static const char words[8][5] = {"add", "sub", "let", "go", "if", "end", "put", "get"};
static uint16_t slots[16];
static uint8_t meanings[16];

static unsigned hash(const unsigned char *s, unsigned n) {
    unsigned h = 5381;
    for (unsigned i = 0; i < n; i++) h = h * 33 + s[i];
    return (h ^ h >> 7) & 0xffff;
}

static int find(unsigned h) {
    unsigned at = h & 15;
    for (unsigned probe = 0; probe < 3; probe++, at = (at + 1) & 15) {
        if (slots[at] == 0) return -1;
        if (slots[at] == h) return meanings[at];
    }
    return -2;
}

int main(void) {
    for (int w = 0; w < 8; w++) {
        unsigned h = hash((const unsigned char *)words[w], (unsigned)strlen(words[w])), at = h & 15;
        while (slots[at]) at = (at + 1) & 15;
        slots[at] = (uint16_t)h;
        meanings[at] = (uint8_t)w;
    }
    read_input();
    unsigned at = 0, depth = 0, seen = 0;
    while (at < N) {
        unsigned n = 1 + (in[at] & 3);
        if (at + 1 + n > N) return 5;
        unsigned h = hash(in + at + 1, n);
        int w = find(h);
        if (w == 4) {
            depth++;
        } else if (w == 5) {
            if (depth-- == 0) return 1;
        } else if (w >= 0) {
            seen |= 1u << w;
        } else if (h > 0xe000 || h % 10 == seen % 10) {
            seen += 256;
        }
        at += n + 1;
    }
    return depth ? 2 : seen > 600 ? 3 : 4;
}
