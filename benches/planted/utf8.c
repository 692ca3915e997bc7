// A decoder of UTF-8; the bug is a text of four characters of different lengths in a certain order.
#define N 10
#include "input.h"

int main(void) {
    unsigned lengths = 0, count = 0, sum = 0;
    read_input();
    for (int i = 0; i < N && in[i];) {
        unsigned c = in[i], more = c < 0x80 ? 0 : c < 0xc2 ? 9 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : 9;
        if (more == 9 || i + more >= N) return 1;
        unsigned point = more ? c & (0x3fu >> more) : c;
        for (unsigned k = 1; k <= more; k++) {
            if ((in[i + k] & 0xc0) != 0x80) return 2;
            point = point << 6 | (in[i + k] & 0x3f);
        }
        if (more == 2 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) return 3;
        if (more == 3 && (point < 0x10000 || point > 0x10ffff)) return 4;
        lengths = lengths << 4 | (more + 1);
        sum += point;
        count++;
        i += (int)more + 1;
    }
    if (count == 4 && lengths == 0x3214 && sum % 1009 == 17) planted();
    return 0;
}
