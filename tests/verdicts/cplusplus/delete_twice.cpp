/* delete of what was deleted. */
#include "klee/klee.h"
struct Box { int v; };
int main() {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    Box *b = new Box{n};
    if (n > 3) delete b;
    int v = n > 200 ? b->v : 0; //~ use_after_free
    return v;
}
