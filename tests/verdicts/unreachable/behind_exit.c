/* The code behind exit is not reached. */
#include <stdlib.h>
int main(void) {
    exit(0);
}
