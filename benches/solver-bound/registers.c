// An interpreter of a fixed program over symbolic registers: jumps depend on what it computes.
#define N 8
#include "input.h"

enum { MUL, ADD, SUB, XOR, SHR, JLT, JEQ, JODD, DEC, END };
struct op { uint8_t op, a, b; int8_t to; };

static const struct op program[] = {
    {MUL, 0, 1, 0}, {ADD, 0, 2, 0}, {JLT, 0, 3, 4}, {SUB, 0, 3, 0}, {JODD, 0, 0, 6}, {SHR, 0, 1, 0}, {XOR, 1, 0, 0},
    {JEQ, 1, 2, 15}, {MUL, 2, 3, 0}, {JLT, 2, 1, 11}, {XOR, 2, 1, 0}, {DEC, 4, 0, 0}, {JODD, 2, 0, 14}, {ADD, 3, 0, 0},
    {JLT, 4, 5, 0}, {END, 0, 0, 0},
};

int main(void) {
    read_input();
    uint16_t r[6] = {(uint16_t)be16(0), (uint16_t)be16(2), (uint16_t)be16(4), (uint16_t)be16(6), 0, 5};
    unsigned pc = 0, steps = 0, taken = 0;
    while (steps++ < 80) {
        struct op o = program[pc++];
        int jump = 0;
        switch (o.op) {
        case MUL: r[o.a] = (uint16_t)(r[o.a] * (r[o.b] | 1)); break;
        case ADD: r[o.a] = (uint16_t)(r[o.a] + r[o.b]); break;
        case SUB: r[o.a] = (uint16_t)(r[o.a] - r[o.b]); break;
        case XOR: r[o.a] ^= r[o.b]; break;
        case SHR: r[o.a] = r[o.a] >> 1; break;
        case DEC: r[o.a]++; break;
        case JLT: jump = r[o.a] < r[o.b]; break;
        case JEQ: jump = r[o.a] == r[o.b]; break;
        case JODD: jump = r[o.a] & 1; break;
        case END: return taken > 12 ? 2 : 1;
        }
        if (jump) {
            taken++;
            pc = (unsigned)o.to;
        }
    }
    return 3;
}
