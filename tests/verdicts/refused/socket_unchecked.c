// halted: socket
#include <assert.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert(write(s, "x", 1) == 1);
    return 0;
}
