/* Without the check the variable's bytes are still there, as in machine code. */
// run: --check memory
int main(void) {
    int *p;
    {
        int x = 1;
        p = &x;
    }
    return *p != 1;
}
