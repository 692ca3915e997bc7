/* A structure is written to constant memory. */
struct S { long a, b; };
static const struct S constant = {1, 2};
static void h(struct S *p) {
    struct S s = {3, 4};
    *p = s; //~ readonly
}
int main(void) {
    h((struct S *)&constant);
    return 0;
}
