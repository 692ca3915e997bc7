/* The pointer is used inside of the block only. */
int main(void) {
    int *p, r;
    {
        int x = 1;
        p = &x;
        r = *p;
    }
    return r != 1;
}
