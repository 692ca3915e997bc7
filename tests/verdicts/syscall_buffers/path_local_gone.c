#include <unistd.h>

static char *name(void) {
    char text[8] = "file";
    char *volatile escaped = text;
    return escaped;
}

int main(void) {
    return access(name(), F_OK) == 0; //~ use_after_free
}
