// Decimal numbers with signs, separated by operators; the value of the expression and of its parts decides.
#define N 12
#include "input.h"

int main(void) {
    read_input();
    int32_t total = 0, term = 1, operators = 0;
    unsigned at = 0;
    while (at < N) {
        int negative = 0;
        if (in[at] == '-') { negative = 1; at++; }
        int32_t value = 0;
        unsigned digits = 0;
        while (at < N && in[at] >= '0' && in[at] <= '9' && digits < 5) {
            value = value * 10 + (in[at] - '0');
            at++, digits++;
        }
        if (digits == 0) return 1;
        if (digits > 1 && value < 10) return 2;
        if (value > 9999) return 3;
        if (negative) value = -value;
        if (value == 365) operators += 16;
        term *= value;
        if (term > 100000 || term < -100000) return 4;
        if (at >= N) break;
        unsigned char op = in[at++];
        operators++;
        if (op == '*') continue;
        if (op != '+' && op != ';') return 5;
        total += term;
        term = 1;
        if (total % 17 == 9) operators += 32;
        if (op == ';') {
            if (total == 1024) return 6;
            if (total > 5000) total = 0;
        }
    }
    total += term;
    return total == 777 ? 7 : total < 0 ? 8 : operators > 32 ? 9 : 10;
}
