/* A store to a variable after its block. */
int main(void) {
    char *p = 0;
    if (p == 0) {
        char b[8];
        p = b;
    }
    p[3] = 1; //~ use_after_free
    return 0;
}
