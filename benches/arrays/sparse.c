/* A sparse matrix in compressed rows, packed records of 7 bytes (value, column, flags), and walks over
   it that start at symbolic rows: misaligned words in a packed table. */
#include "klee/klee.h"
#include <stdint.h>

struct __attribute__((packed)) cell { uint8_t flags; int32_t value; uint16_t column; };
#define ROWS 24
static uint16_t row[ROWS + 1];
static struct cell cells[ROWS * 3];

int main(void) {
    uint8_t at[3];
    uint32_t x = 7, used = 0;
    for (int r = 0; r < ROWS; r++) {
        row[r] = (uint16_t)used;
        for (int k = 0; k < 1 + r % 3; k++) {
            x = x * 1103515245u + 12345u;
            cells[used++] = (struct cell){(uint8_t)(x >> 30), (int32_t)(x >> 16 & 4095) - 2048, (uint16_t)((x >> 8) % ROWS)};
        }
    }
    row[ROWS] = (uint16_t)used;
    klee_make_symbolic(at, sizeof at, "at");
    int32_t total = 0;
    int taken = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t r = at[i] % ROWS;
        for (int hop = 0; hop < 2; hop++) {
            struct cell c = cells[row[r] + (row[r + 1] - row[r] > 1 ? i & 1 : 0)];
            if (c.flags & 1) taken++;
            total += c.value;
            r = c.column;
        }
        if (total > 1500) taken += 10;
    }
    if (total == 77) taken += 40;
    return taken;
}
