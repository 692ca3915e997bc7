/* The check is not on by default. */
int main(void) {
    int x;
    int *volatile p = &x;
    return *p & 0;
}
