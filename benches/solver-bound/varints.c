// Numbers in base 128 with differences and zigzag signs, as in column formats; running sums decide.
#define N 14
#include "input.h"

int main(void) {
    read_input();
    unsigned at = 0, count = 0, kind = 0;
    int32_t last = 0, sum = 0, least = 0;
    while (at < N) {
        uint32_t raw = 0;
        unsigned shift = 0;
        for (;;) {
            if (at >= N) return 1;
            uint32_t byte = in[at++];
            raw |= (byte & 127) << shift;
            if (byte < 128) break;
            shift += 7;
            if (shift > 14) return 2;
        }
        int32_t difference = (int32_t)(raw >> 1) ^ -(int32_t)(raw & 1);
        last += difference;
        if (last < 0) kind |= 1;
        sum += last * (int32_t)(count + 1);
        if (last < least) least = last;
        if (sum > 20000) return 3;
        if (sum % 9 == 4) kind += 8;
        if (difference == (int32_t)count * 5) kind += 64;
        count++;
    }
    if (least < -300 && sum > 0) return 4;
    return (int)(kind & 63);
}
