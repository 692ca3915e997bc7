// A message with a length, a type and a CRC-16 over all of it.
#define N 12
#include "input.h"

int main(void) {
    uint16_t crc = 0xffff;
    read_input();
    unsigned length = in[0];
    if (length < 4 || length > N - 3) return 1;
    for (unsigned i = 0; i <= length; i++) {
        crc ^= (uint16_t)(in[i] << 8);
        for (int bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
    }
    if (crc != (in[length + 1] << 8 | in[length + 2])) return 2;
    if (in[1] == 0x7e && in[2] == length - 2 && in[length] == 0) planted();
    return 0;
}
