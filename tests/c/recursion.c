/* Recursion: deep, mutual, through pointers, with arrays on the stack. */
#include <stdio.h>
#include <string.h>

static unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int moves;
static void hanoi(int n, char a, char b, char c) {
    if (n == 0) return;
    hanoi(n - 1, a, c, b);
    if (moves++ < 5) printf("%c%c ", a, c);
    hanoi(n - 1, b, a, c);
}
static int queens(int n, int row, int *cols) {
    if (row == n) return 1;
    int found = 0;
    for (int c = 0; c < n; c++) {
        int ok = 1;
        for (int r = 0; r < row && ok; r++) ok = cols[r] != c && cols[r] - c != row - r && c - cols[r] != row - r;
        if (ok) { cols[row] = c; found += queens(n, row + 1, cols); }
    }
    return found;
}
static void permute(char *s, int k, int n, int *count, unsigned *hash) {
    char saved[16];
    if (k == n) {
        ++*count;
        for (int i = 0; i < n; i++) *hash = *hash * 33 + (unsigned char)s[i];
        return;
    }
    memcpy(saved, s, (size_t)n);
    for (int i = k; i < n; i++) {
        char t = s[k]; s[k] = s[i]; s[i] = t;
        permute(s, k + 1, n, count, hash);
        memcpy(s, saved, (size_t)n);
    }
}
static const char *cursor;
static int expression(void);
static int factor(void) {
    if (*cursor == '(') { cursor++; int v = expression(); cursor++; return v; }
    int v = 0;
    while (*cursor >= '0' && *cursor <= '9') v = v * 10 + *cursor++ - '0';
    return v;
}
static int term(void) {
    int v = factor();
    while (*cursor == '*' || *cursor == '/') { char op = *cursor++; int w = factor(); v = op == '*' ? v * w : v / w; }
    return v;
}
static int expression(void) {
    int v = term();
    while (*cursor == '+' || *cursor == '-') { char op = *cursor++; int w = term(); v = op == '+' ? v + w : v - w; }
    return v;
}
static int depth_sum(int n) { int local[4] = {n, n + 1, n + 2, n + 3}; return n == 0 ? 0 : local[n & 3] + depth_sum(n - 1); }

int main(void) {
    printf("%u %d %d\n", ackermann(2, 6), even(1000), odd(777));
    hanoi(8, 'a', 'b', 'c');
    printf("%d\n", moves);
    int cols[8];
    printf("%d %d\n", queens(5, 0, cols), queens(6, 0, cols));
    char s[] = "abcde";
    int count = 0;
    unsigned hash = 5381;
    permute(s, 0, 5, &count, &hash);
    printf("%d %u\n", count, hash);
    cursor = "2*(3+4)*5-(18/3-1)*(2+(3*4))";
    printf("%d\n", expression());
    printf("%d\n", depth_sum(2000));
    return 0;
}
