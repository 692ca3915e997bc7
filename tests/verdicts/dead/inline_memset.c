/* The builtin that is never a call. */
static void h(char *p) {
    __builtin_memset_inline(p, 0, 16); //~ out_of_bounds
}
int main(void) {
    char b[8];
    h(b);
    return 0;
}
