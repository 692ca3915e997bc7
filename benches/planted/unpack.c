// Literals and copies from a window, as compressors write them; the bug is behind an exact output.
#define N 12
#include "input.h"

int main(void) {
    unsigned char out[32];
    unsigned n = 0;
    read_input();
    for (int i = 0; i < N && in[i];) {
        unsigned length = in[i] & 15;
        if (in[i] & 0x80) {
            if (i + 1 >= N) return 1;
            unsigned back = in[i + 1];
            if (!back || back > n || n + length > sizeof out) return 2;
            for (; length; length--, n++) out[n] = out[n - back];
            i += 2;
        } else {
            if (i + 1 + length > N || n + length > sizeof out) return 3;
            memcpy(out + n, in + i + 1, length);
            n += length;
            i += 1 + length;
        }
    }
    if (n == 20 && !memcmp(out, "abcabcabcab", 11) && out[19] == 'z') planted();
    return 0;
}
