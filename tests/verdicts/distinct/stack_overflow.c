static volatile int zero;
static int f(int n) { return n + f(n + 1 + zero); } //~ stack_overflow

int main(void) { return f(0); }
