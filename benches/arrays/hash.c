/* A hash table with open addressing over a constant set of keywords: FNV with a substitution table,
   probing through a table of slots, then comparing the names. */
#include "klee/klee.h"
#include <stdint.h>
#include <string.h>

#define SLOTS 64
static const char *const words[] = {
    "if", "else", "for", "do", "while", "int", "char", "long", "void", "case", "goto", "auto",
    "enum", "main", "break", "float", "const", "short", "union", "return", "static", "switch"};
#define WORDS (sizeof words / sizeof *words)
static uint8_t mix[256];
static uint8_t slot[SLOTS];

static uint32_t hash(const uint8_t *s, int n) {
    uint32_t h = 0x81;
    for (int i = 0; i < n; i++) h = mix[(h ^ s[i]) & 255] ^ h << 1;
    return h;
}

int main(void) {
    uint8_t name[5];
    uint32_t x = 1;
    for (int i = 0; i < 256; i++) {
        x = x * 1664525u + 1013904223u;
        mix[i] = (uint8_t)(x >> 24);
    }
    for (unsigned w = 0; w < WORDS; w++) {
        uint32_t h = hash((const uint8_t *)words[w], (int)strlen(words[w]));
        while (slot[h % SLOTS]) h++;
        slot[h % SLOTS] = (uint8_t)(w + 1);
    }
    klee_make_symbolic(name, sizeof name, "name");
    for (int n = 2; n <= 5; n++) {
        uint32_t h = hash(name, n);
        for (int probes = 0; probes < 3; probes++, h++) {
            uint8_t w = slot[h % SLOTS];
            if (!w) break;
            const char *word = words[w - 1];
            int same = 1;
            for (int i = 0; i < n && same; i++) same = (uint8_t)word[i] == name[i];
            if (same && word[n] == 0) return w;
        }
    }
    return 0;
}
