// A decoder of base64; the bug is behind a text whose decoded bytes are a command with a length.
#define N 12
#include "input.h"

static int digit(int c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

int main(void) {
    unsigned char out[N];
    unsigned bits = 0, have = 0, n = 0;
    read_input();
    for (int i = 0; i < N; i++) {
        int d = digit(in[i]);
        if (in[i] == '=') break;
        if (d < 0) return 1;
        bits = bits << 6 | (unsigned)d;
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[n++] = bits >> have & 255;
        }
    }
    if (n < 6) return 2;
    if (out[0] != 'R' || out[1] != 'U' || out[2] != 'N') return 3;
    if (out[3] + 4u > n) return 4;
    if (out[3] == 3 && out[4] == '!' && (out[5] ^ out[4]) == 0x55) planted();
    return 0;
}
