/* A pointer to a variable of a block, used after it. */
// message: after its scope ended
int main(void) {
    int *p;
    {
        int x = 1;
        p = &x;
    }
    return *p == 2; //~ use_after_free
}
