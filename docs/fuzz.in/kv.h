#include <stddef.h>
int kv_count(const unsigned char *data, size_t size);
