/* Variable-length arrays and alloca; stack memory is given back per iteration. */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static long fill(int n) {
    long a[n];
    for (int i = 0; i < n; i++) a[i] = (long)i * i;
    long s = 0;
    for (int i = 0; i < n; i++) s += a[n - 1 - i];
    return s + (long)(sizeof a / sizeof *a);
}
static int matrix(int rows, int cols, int m[rows][cols]) {
    int s = 0;
    for (int i = 0; i < rows; i++) for (int j = 0; j < cols; j++) s = s * 3 + m[i][j];
    return s & 0xffff;
}
static char *join(char *out, int n) {
    char *parts = alloca((size_t)n * 2 + 1);
    for (int i = 0; i < n; i++) { parts[2 * i] = (char)('a' + i); parts[2 * i + 1] = '-'; }
    parts[2 * n] = 0;
    return strcpy(out, parts);
}
int main(void) {
    for (int n = 1; n < 60; n += 13) printf("%ld ", fill(n));
    for (int round = 0; round < 2000; round++) {
        char block[round % 50 + 1000];
        memset(block, round, sizeof block);
        if (block[round % 7] != (char)round) puts("broken");
    }
    int rows = 3, cols = 5, m[rows][cols];
    for (int i = 0; i < rows; i++) for (int j = 0; j < cols; j++) m[i][j] = i * 10 + j;
    int (*p)[cols] = m + 1;
    printf("%d %d %zu\n", matrix(rows, cols, m), p[0][4], sizeof *p);
    char out[64];
    puts(join(out, 9));
    for (int i = 0; i < 3; i++) { goto skip; skip:; int v[i + 1]; v[i] = i; printf("%d ", v[i]); }
    puts("");
    return 0;
}
