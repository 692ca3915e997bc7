/* Instructions for aligned vectors fault at other addresses: they are in the source, or a vector type is. */
#include "klee/klee.h"
#include <emmintrin.h>
#include <string.h>
typedef int four __attribute__((vector_size(16)));
static unsigned char t[96] __attribute__((aligned(64)));
int main(void) {
    unsigned char way, x;
    klee_make_symbolic(&way, sizeof way, "way");
    klee_make_symbolic(&x, sizeof x, "x");
    if (x > 40) return 0;
    __m128i one = _mm_set1_epi8(1);
    switch (way % 9) {
    case 0: return _mm_cvtsi128_si32(_mm_load_si128((void *)(t + x))); //~ misaligned
    case 1: _mm_store_si128((void *)(t + 8 * (x == 7)), one); break; //~ misaligned
    case 2: return (*(four *)(t + x % 2 * 4))[1]; //~ misaligned
    case 3: *(four *)(t + x) += 1; break; //~ misaligned
    case 4: _mm_stream_si128((void *)(t + x), one); break; //~ misaligned
    case 5: return *(__float128 *)(t + x) != 0; //~ misaligned
    case 6: { /* a member of a packed structure, through a pointer to its type */
        struct __attribute__((packed)) { char c[8]; four v; } s = {{0}, {1}};
        four *p = (void *)&s.v;
        return (*p)[0]; //~ misaligned
    }
    case 7: { /* behind the end and misaligned: the first is told */
        four *p = (void *)(t + 81 + x);
        return (*p)[0]; //~ out_of_bounds
    }
    }
    return 0;
}
