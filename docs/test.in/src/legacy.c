#include <string.h>

/* What stands behind the equals sign. */
const char *read_old(const char *line) {
    const char *value = strchr(line, '=');
    return value[0] ? value + 1 : value;
}
