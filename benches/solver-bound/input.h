// What the programs of this folder share: N symbolic bytes, and integers made of them.
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned char in[N];

static void read_input(void) {
    klee_make_symbolic(in, sizeof in, "in");
}

static inline uint32_t be16(unsigned at) {
    return (uint32_t)in[at] << 8 | in[at + 1];
}

static inline uint32_t le32(unsigned at) {
    return (uint32_t)in[at] | (uint32_t)in[at + 1] << 8 | (uint32_t)in[at + 2] << 16 | (uint32_t)in[at + 3] << 24;
}
