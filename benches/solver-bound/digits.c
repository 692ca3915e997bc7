// Check digits of numbers in several systems: doubled digits (Luhn), weights modulo eleven, and a table of permutations.
#define N 16
#include "input.h"

static const uint8_t doubled[10] = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9};
static const uint8_t permuted[8][10] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 5, 7, 6, 2, 8, 3, 0, 9, 4}, {5, 8, 0, 3, 7, 9, 6, 1, 4, 2},
    {8, 9, 1, 6, 0, 4, 3, 5, 2, 7}, {9, 4, 5, 3, 1, 2, 6, 8, 7, 0}, {4, 2, 8, 6, 5, 7, 3, 9, 0, 1},
    {2, 7, 9, 3, 8, 0, 6, 4, 1, 5}, {7, 0, 4, 6, 9, 1, 3, 2, 5, 8}};

int main(void) {
    read_input();
    unsigned at = 0, numbers = 0, kinds = 0, total = 0;
    while (at < N && numbers < 4) {
        unsigned length = 0, luhn = 0, weighted = 0, table = 0;
        while (at < N && length < 7 && in[at] >= '0' && in[at] <= '9') {
            unsigned d = in[at] - '0';
            luhn += length & 1 ? doubled[d] : d;
            weighted += d * (8 - length);
            table = (table * 3 + permuted[length & 7][d]) % 10;
            at++, length++;
        }
        if (length < 3) return 1;
        total += luhn * (numbers + 1) + weighted;
        if (total % 97 > 60) return 4;
        if (luhn % 10 == 0) kinds |= 1;
        if (weighted % 11 == 0) kinds |= 2;
        else if (weighted % 11 == 10 && kinds == 1) return 2;
        if (table == 0) kinds |= 4;
        if ((total * 7 + table) % 31 == 8) kinds |= 8;
        if (at < N && in[at++] != '-') return 3;
        numbers++;
    }
    return (int)kinds;
}
