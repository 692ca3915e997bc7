// A decoder of operations with immediate bytes, and the small stack machine that they run on.
#define N 14
#include "input.h"

static int16_t stack[6];
static int top;

static int push(int v) {
    if (top == 6) return 1;
    stack[top++] = (int16_t)v;
    return 0;
}

int main(void) {
    read_input();
    unsigned pc = 0, steps = 0;
    while (pc < N && steps++ < 10) {
        unsigned op = in[pc] >> 4, arg = in[pc] & 15;
        pc++;
        if (op < 4) {
            if (pc >= N) return 1;
            if (push((int)(in[pc++] * (arg + 1)))) return 2;
        } else if (op < 7) {
            if (top < 2) return 3;
            int b = stack[--top], a = stack[--top];
            push(op == 4 ? a + b : op == 5 ? a - b * 3 : a ^ b);
        } else if (op < 9) {
            if (top < 1) return 4;
            if (stack[--top] > (int)(arg * 100)) pc += 1;
        } else if (op == 9) {
            if (top < 1) return 5;
            if (push(stack[top - 1])) return 6;
        } else if (op == 10) {
            if (top < 1 || stack[top - 1] % 5 != (int)arg % 5) return 7;
        } else if (op == 11) {
            if (top < 2) return 8;
            if (stack[top - 1] < stack[top - 2]) { int16_t t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; }
        } else if (op == 12) {
            break;
        }
    }
    int sum = 0;
    for (int i = 0; i < top; i++) sum += stack[i] * (i + 1);
    if (sum == 1234) return 20;
    return sum > 3000 ? 21 : sum < -100 ? 22 : 23;
}
