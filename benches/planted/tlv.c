// Nested records of type, length and value; the bug is a record whose end lies behind that of the one around it.
#define N 14
#include "input.h"

static void records(unsigned from, unsigned to, int depth) {
    unsigned sum = 0;
    while (from + 2 <= to) {
        unsigned type = in[from], length = in[from + 1], end = from + 2 + length;
        if (end > N) exit(1);
        if (end > to) {
            if (depth == 2 && type == 0x31 && sum == 0x77) planted();
            exit(2);
        }
        if (type == 0x30) {
            if (depth == 3) exit(3);
            records(from + 2, end, depth + 1);
        } else if (type == 2) {
            if (length == 0) exit(4);
            for (unsigned i = 0; i < length; i++) sum += in[from + 2 + i];
        } else if (type != 5 || length) {
            exit(5);
        }
        from = end;
    }
}

int main(void) {
    read_input();
    records(0, N, 0);
    return 0;
}
