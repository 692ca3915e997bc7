// Two dates in digits, their day numbers, the days of their weeks and what lies between them.
#define N 16
#include "input.h"

static unsigned number(unsigned at, unsigned n, int *ok) {
    unsigned v = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned d = in[at + i] - '0';
        if (d > 9) { *ok = 0; return 0; }
        v = v * 10 + d;
    }
    return v;
}

static int leap(unsigned y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }

static int day_number(unsigned at, int *ok) {
    static const unsigned short before[13] = {0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    unsigned y = number(at, 4, ok), m = number(at + 4, 2, ok), d = number(at + 6, 2, ok);
    if (!*ok || y < 1583 || m < 1 || m > 12 || d < 1) { *ok = 0; return 0; }
    unsigned last = m == 2 ? 28u + (unsigned)leap(y) : m == 4 || m == 6 || m == 9 || m == 11 ? 30u : 31u;
    if (d > last) { *ok = 0; return 0; }
    unsigned p = y - 1;
    int n = (int)(p * 365 + p / 4 - p / 100 + p / 400 + before[m] + d);
    return m > 2 && leap(y) ? n + 1 : n;
}

int main(void) {
    read_input();
    int ok = 1;
    int a = day_number(0, &ok);
    if (!ok) return 1;
    int weekday = a % 7;
    int kind = weekday == 0 ? 1 : weekday == 6 ? 2 : 0;
    if (a > 730000) kind += 4;
    int b = day_number(8, &ok);
    if (!ok) return 2;
    if (b < a) return 3;
    if (b - a > 365) kind += 8;
    if ((b - a) % 7 == 0) kind += 16;
    if (b % 7 == 5 && b - a < 100) kind += 32;
    return kind;
}
