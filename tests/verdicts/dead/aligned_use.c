/* An assumption about a pointer does not make the access go away. */
static int h(long *p) {
    long *q = __builtin_assume_aligned(p, 8);
    *q; //~ null
    return 0;
}
int main(void) {
    return h(0);
}
