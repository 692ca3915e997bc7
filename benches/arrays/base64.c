/* Base64 decoding through the usual reverse table, with padding, and a check of what was decoded. */
#include "klee/klee.h"
#include <stdint.h>
#include <string.h>

static int8_t reverse[256];

static void init(void) {
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    memset(reverse, -1, sizeof reverse);
    for (int i = 0; i < 64; i++) reverse[(uint8_t)alphabet[i]] = (int8_t)i;
    reverse[' '] = reverse['\n'] = reverse['\t'] = -2;
}

static int decode(const uint8_t *in, int n, uint8_t *out) {
    uint32_t bits = 0;
    int have = 0, len = 0, pad = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] == '=') {
            if (have == 0 || have == 6) return -1;
            pad++;
            continue;
        }
        int v = reverse[in[i]];
        if (v == -2) continue;
        if (v < 0 || pad) return -2;
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[len++] = (uint8_t)(bits >> have);
        }
    }
    if (bits & ((1u << have) - 1)) return -3;
    return len;
}

int main(void) {
    uint8_t in[8], out[8];
    init();
    klee_make_symbolic(in, sizeof in, "in");
    int n = decode(in, sizeof in, out);
    if (n < 0) return -n;
    int sum = 0;
    for (int i = 0; i < n; i++) sum += out[i] >= 0x80 ? 3 : out[i] < 0x20 ? 1 : 0;
    if (n >= 3 && out[0] == 'P' && out[1] == 'K') return 20;
    return sum;
}
