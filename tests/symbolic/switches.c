/* bytes: 2. Dense and sparse switches, nested. */
#include "klee/klee.h"
int main(void) {
    unsigned char b[2];
    klee_make_symbolic(b, sizeof b, "b");
    switch (b[0]) {
    case 0: case 1: case 2: return 1;
    case 3: switch (b[1] & 3) { case 0: return 2; case 3: return 3; default: return 4; }
    case 'a' ... 'f': return 10 + b[0] - 'a';
    case 255: if (b[1] == 255) return 50; break;
    default: if ((b[0] ^ b[1]) == 0x5a) return 60;
    }
    return 0;
}
