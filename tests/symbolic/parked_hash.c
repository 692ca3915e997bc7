/* bytes: 2. A hash whose circuit takes more than the first attempt may: the other side is parked and must be
   taken up again when nothing else is left. The value is one that the SAT solver meets after some hundred conflicts;
   others take it up to 10^5, by luck. */
#include "klee/klee.h"

static unsigned long mix(unsigned long x)
{
    x ^= x >> 31;
    x *= 0x9E3779B97F4A7C15;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9;
    x ^= x >> 32;
    x *= 0x94D049BB133111EB;
    return x ^ x >> 30;
}

int main(void)
{
    unsigned char in[2];
    klee_make_symbolic(in, sizeof in, "in");
    unsigned long key = mix(mix(in[0] | (unsigned long)in[1] << 8));
    if (key % 4096 == 5)
        return 1;
    return in[0] == 'a' ? 2 : 3;
}
