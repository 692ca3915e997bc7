/* The builtin that is never a call. */
static char s[8];
static void h(char *p) {
    char b[16];
    __builtin_memcpy_inline(b, p, 16); //~ out_of_bounds
}
int main(void) {
    h(s);
    return 0;
}
