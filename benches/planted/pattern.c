// A matcher of patterns with stars and classes, pattern and text both from the input.
#define N 12
#include "input.h"

static int match(const unsigned char *p, const unsigned char *t) {
    if (!*p) return !*t;
    if (*p == '*') return match(p + 1, t) || (*t && match(p, t + 1));
    if (*p == '[') {
        int hit = 0;
        for (p++; *p && *p != ']'; p++) hit |= *p == *t;
        return *p && *t && hit && match(p + 1, t + 1);
    }
    return *t && (*p == '?' || *p == *t) && match(p + 1, t + 1);
}

int main(void) {
    unsigned char pattern[9] = { 0 }, text[5] = { 0 };
    int stars = 0, classes = 0;
    read_input();
    memcpy(pattern, in, 8);
    memcpy(text, in + 8, 4);
    for (int i = 0; i < 8; i++) stars += pattern[i] == '*', classes += pattern[i] == '[';
    if (stars == 2 && classes == 1 && text[3] && match(pattern, text) && text[0] != text[1]) planted();
    return 0;
}
