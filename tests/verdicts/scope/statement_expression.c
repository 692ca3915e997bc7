/* The variable of a statement expression. */
int main(void) {
    int *p = ({
        int x = 4;
        int *q = &x;
        q;
    });
    return *p == 5; //~ use_after_free
}
