#include "kv.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kv_count(data, size);
    return 0;
}
