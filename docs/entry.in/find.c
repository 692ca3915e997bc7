#include <stddef.h>

/* The number of the bin with x, of n bins between n + 1 limits, or n. */
size_t find(const double *range, size_t n, double x) {
    size_t low = 0, high = n;
    if (!(x >= range[0] && x < range[n])) return n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (x >= range[middle]) low = middle; else high = middle;
    }
    return low;
}
