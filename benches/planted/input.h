// What the programs of this folder share: N symbolic bytes, and the planted bug.
#include <klee/klee.h>
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned char in[N];

static void read_input(void) {
    klee_make_symbolic(in, sizeof in, "in");
}

static void planted(void) {
    assert(!"planted");
}
