#include "table.h"
#include <string.h>

static struct { char word[8]; int times; } table[2];
static int used;

void count(const char *word) {
    int i = 0;
    while (i < used && strcmp(table[i].word, word) != 0) i++;
    if (i == used) strcpy(table[used++].word, word);
    table[i].times++;
}

int most(void) {
    int most = 0;
    for (int i = 0; i < used; i++) if (table[i].times > most) most = table[i].times;
    return most;
}
