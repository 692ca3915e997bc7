/* Each call has variables of its own. */
static int depth(int n, int *above) {
    int sum = *above;
    if (n > 0) {
        int x = n;
        sum += depth(n - 1, &x);
    }
    return sum;
}
int main(void) {
    int x = 0;
    return depth(5, &x) != 15;
}
