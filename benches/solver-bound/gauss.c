// Elimination modulo a prime: which pivots vanish, which rows are exchanged, and what the solution looks like.
#define N 20
#include "input.h"

enum { P = 31 };

static unsigned inverse[P];

int main(void) {
    for (unsigned a = 1; a < P; a++)
        for (unsigned b = 1; b < P; b++)
            if (a * b % P == 1) inverse[a] = b;
    read_input();
    unsigned m[4][5], swaps = 0, rank = 0;
    for (unsigned i = 0; i < 20; i++) {
        if (in[i] >= P) return 1;
        m[i / 5][i % 5] = in[i];
    }
    for (unsigned c = 0; c < 4 && rank < 5; c++) {
        unsigned r = rank;
        while (r < 4 && m[r][c] == 0) r++;
        if (r == 4) continue;
        if (r != rank) {
            swaps++;
            for (unsigned k = 0; k < 5; k++) { unsigned t = m[r][k]; m[r][k] = m[rank][k]; m[rank][k] = t; }
        }
        unsigned f = inverse[m[rank][c]];
        for (unsigned k = 0; k < 5; k++) m[rank][k] = m[rank][k] * f % P;
        for (r = rank + 1; r < 4; r++) {
            unsigned g = m[r][c];
            if (g == 0) continue;
            for (unsigned k = 0; k < 5; k++) m[r][k] = (m[r][k] + (P - g) * m[rank][k]) % P;
        }
        rank++;
    }
    for (unsigned r = rank; r < 4; r++)
        if (m[r][4]) return 2;
    if (rank == 4 && m[3][4] > 20) return 3;
    if (rank == 4 && m[3][4] == m[2][4]) return 4;
    return (int)(rank * 4 + swaps);
}
