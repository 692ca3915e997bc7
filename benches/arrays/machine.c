/* A byte-code interpreter whose decoding, operand counts and actions come from tables, and whose
   registers are an array: loads and stores at symbolic indices mixed with constant tables. */
#include "klee/klee.h"
#include <stdint.h>

enum { NOP, MOV, ADD, XOR, CMP, SKIP, STOP };
static uint8_t decode[256];
static const uint8_t cost[8] = {1, 2, 3, 3, 4, 5, 0, 9};

int main(void) {
    uint8_t code[7];
    int32_t reg[8] = {1, 2, 3, 5, 8, 13, 21, 34};
    for (int i = 0; i < 256; i++) decode[i] = (uint8_t)((i * 37 + (i >> 3)) % 7);
    klee_make_symbolic(code, sizeof code, "code");
    int spent = 0, flag = 0;
    for (unsigned pc = 0; pc < sizeof code; pc++) {
        uint8_t op = decode[code[pc]], a = code[pc] >> 5, b = code[pc] & 7;
        spent += cost[op];
        if (spent > 18) return 50;
        switch (op) {
        case MOV: reg[a] = reg[b]; break;
        case ADD: reg[a] += reg[b]; break;
        case XOR: reg[a] ^= reg[b]; break;
        case CMP: flag = reg[a] < reg[b]; break;
        case SKIP: pc += (unsigned)flag; break;
        case STOP: return reg[0] > 20 ? 40 : 41;
        default: break;
        }
    }
    return reg[7] == 55 ? 30 : flag;
}
