// message: assertion failed: argc > 1
#include <assert.h>

int main(int argc, char **argv) {
    assert(argc > 1); //~ assert
    return 0;
}
