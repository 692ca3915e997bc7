/* Sorting through tables of indices: a permutation is built by counting sort with symbolic keys, then
   followed; stores and loads at symbolic indices of several widths. */
#include "klee/klee.h"
#include <stdint.h>

#define N 3
static const uint16_t weight[16] = {900, 17, 340, 5, 620, 77, 41, 3000, 8, 512, 255, 1024, 66, 9, 130, 2};

int main(void) {
    uint8_t key[N];
    uint32_t count[16] = {0};
    uint16_t order[N];
    klee_make_symbolic(key, sizeof key, "key");
    for (int i = 0; i < N; i++) {
        key[i] &= 15;
        count[key[i]]++;
    }
    uint32_t sum = 0;
    for (int k = 0; k < 16; k++) {
        uint32_t c = count[k];
        count[k] = sum;
        sum += c;
    }
    for (int i = 0; i < N; i++) order[count[key[i]]++] = (uint16_t)i;
    int up = 0;
    for (int i = 0; i + 1 < N; i++)
        if (weight[key[order[i]]] < weight[key[order[i + 1]]]) up |= 1 << i;
    return up;
}
