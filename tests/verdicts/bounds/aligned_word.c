// message: runs past its end, within the allocation's alignment
/* A word that is read on purpose although only its first byte exists, as some hashes do, is an error in C. */
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    char *key = malloc(5);
    for (int i = 0; i < 5; i++) key[i] = 'k';
    return (*(volatile uint32_t *)(key + 4) & 0xff) != 'k'; //~ out_of_bounds
}
