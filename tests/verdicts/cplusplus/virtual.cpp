/* Virtual calls on the right object. */
#include "klee/klee.h"
struct Shape { virtual int area() const = 0; };
struct Square : Shape { int s; explicit Square(int s) : s(s) {} int area() const override { return s * s; } };
struct Line : Shape { int area() const override { return 0; } };
int main() {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    Square square(n % 8);
    Line line;
    const Shape &shape = n > 100 ? static_cast<const Shape &>(square) : line;
    return shape.area() > 49;
}
