#include "kv.h"
#include <string.h>

/* "KV", then entries: a length, so many bytes of a key, a byte of a value. The number of entries whose value is 1. */
int kv_count(const unsigned char *data, size_t size) {
    int count = 0;
    if (size < 2 || memcmp(data, "KV", 2) != 0) return -1;
    for (size_t at = 2; at < size; at += data[at] + 2)
        count += data[at + data[at] + 1] == 1;
    return count;
}
