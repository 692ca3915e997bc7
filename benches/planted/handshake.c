// A protocol in which each message depends on the one before; the bug is in the last state.
#define N 16
#include "input.h"

enum { HELLO, NONCE, KEY, READY, DATA };

int main(void) {
    int state = HELLO;
    unsigned nonce = 0, key = 0;
    read_input();
    for (int i = 0; i + 3 < N; i += 4) {
        unsigned kind = in[i], a = in[i + 1], b = in[i + 2], check = in[i + 3];
        if (check != ((kind + a * 3 + b * 7) & 255)) return 1;
        switch (state) {
        case HELLO:
            if (kind == 1 && a == 3) state = NONCE;
            break;
        case NONCE:
            if (kind == 2) nonce = a << 8 | b, state = KEY;
            else return 2;
            break;
        case KEY:
            if (kind == 3 && (a ^ nonce >> 8) == 0x5a) key = b, state = READY;
            else if (kind == 9) state = HELLO;
            else return 3;
            break;
        case READY:
            if (kind == 4 && a == (key ^ (nonce & 255)) && b > 200) planted();
            state = DATA;
            break;
        default:
            return 4;
        }
    }
    return 0;
}
