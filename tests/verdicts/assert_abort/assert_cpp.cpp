// message: assertion failed: size > 0
#include <cassert>
#include <klee/klee.h>

class Stack {
    int size = 0;

public:
    void push() { size++; }
    void pop() {
        assert(size > 0); //~ assert
        size--;
    }
};

int main() {
    Stack s;
    s.push();
    s.pop();
    if (klee_int("again") == 1)
        s.pop();
    return 0;
}
