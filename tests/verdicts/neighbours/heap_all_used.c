#include <stdlib.h>

int main(void) {
    char *all[50];
    for (int i = 0; i < 50; i++) {
        all[i] = malloc(64);
        if (!all[i]) return 1;
        for (int j = 0; j < 64; j++) all[i][j] = i;
    }
    for (int i = 0; i < 50; i++)
        for (int j = 0; j < 64; j++)
            if (all[i][j] != i) return 2;
    for (int i = 0; i < 50; i++) free(all[i]);
    return 0;
}
