// Nested records of type, length and value; the sums of values and lengths decide what is accepted.
#define N 16
#include "input.h"

static unsigned total;

static int records(unsigned from, unsigned to, int depth) {
    unsigned sum = 0, count = 0;
    while (from + 2 <= to) {
        unsigned type = in[from] & 7, length = in[from + 1] & 15, end = from + 2 + length;
        if (end > to) return 1;
        count++;
        switch (type) {
        case 0:
            if (depth == 3) return 2;
            if (records(from + 2, end, depth + 1)) return 3;
            break;
        case 1:
            for (unsigned i = 0; i < length; i++) sum += in[from + 2 + i];
            if (sum % 7 == 3) total += 5;
            break;
        case 2:
            if (length < 2) return 4;
            if (be16(from + 2) * 3 + sum > 40000) total += sum;
            else total ^= be16(from + 2);
            break;
        case 3:
            if (length != count + 1) return 5;
            break;
        default:
            if (in[from] > sum) return 6;
            total += in[from] * (length + 1);
        }
        from = end;
    }
    if (total % 11 == 4) return 7;
    return sum > 300 ? 8 : 0;
}

int main(void) {
    read_input();
    int status = records(0, N, 0);
    if (total > 5000) status += 10;
    if ((total ^ total >> 4) % 13 == 5) status += 20;
    return status;
}
