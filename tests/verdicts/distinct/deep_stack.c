// A stack of thousands of frames is told in a few.
static int f(int n) { return n == 0 ? *(volatile int *)0 : f(n - 1) + 1; } //~ null

int main(void) { return f(5000); }
