// A stack machine over the input; the bug is a product that only a program of several instructions makes.
#define N 10
#include "input.h"

int main(void) {
    unsigned stack[8] = { 0 }, top = 0;
    read_input();
    for (int pc = 0; pc < N; pc++) {
        unsigned op = in[pc] >> 4, arg = in[pc] & 15;
        switch (op) {
        case 1:
            if (top == 8) return 1;
            stack[top++] = arg;
            break;
        case 2:
        case 3:
        case 4:
            if (top < 2) return 2;
            top--;
            if (op == 2) stack[top - 1] += stack[top];
            else if (op == 3) stack[top - 1] *= stack[top];
            else stack[top - 1] ^= stack[top];
            break;
        case 5:
            if (!top) return 3;
            if (top == 8) return 1;
            stack[top] = stack[top - 1];
            top++;
            break;
        case 6:
            if (top && stack[top - 1] == arg * 1001) planted();
            break;
        default:
            return 4;
        }
    }
    return 0;
}
