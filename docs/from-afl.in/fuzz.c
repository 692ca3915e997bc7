#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 2 && data[0] == 'C' && data[1] == 'H') return data[2 + data[2] % size] == 0;
    return 0;
}
