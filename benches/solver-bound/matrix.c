// Matrices of three by three small integers: determinant, trace, definiteness, and products with a vector.
#define N 12
#include "input.h"

int main(void) {
    read_input();
    int m[3][3], v[3], kind = 0;
    for (int i = 0; i < 9; i++) m[i / 3][i % 3] = (int8_t)in[i];
    for (int i = 0; i < 3; i++) v[i] = (int8_t)in[9 + i];
    for (int i = 0; i < 9; i++)
        if (m[i / 3][i % 3] > 60 || m[i / 3][i % 3] < -60) return 1;
    int trace = m[0][0] + m[1][1] + m[2][2];
    if (trace == 0) kind |= 1;
    int d2 = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    if (d2 > 500) kind |= 2;
    else if (d2 < -500) return 2;
    for (int i = 0; i < 3; i++) {
        int s = 0;
        for (int k = 0; k < 3; k++) s += m[i][k] * v[k];
        if (s > 900) kind |= 4 << i;
        else if (s == v[i] * 3) kind |= 32;
    }
    int d3 = m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) + m[2][2] * d2 -
             m[1][2] * (m[0][0] * m[2][1] - m[0][1] * m[2][0]);
    if (d3 == 0) return 3;
    if (d3 > 10000) kind |= 64;
    if (m[0][1] == m[1][0] && m[0][2] == m[2][0] && m[1][2] == m[2][1]) kind |= 128;
    return kind == 134 ? 4 : kind & 15;
}
