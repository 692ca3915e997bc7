/* A structure is copied from null, and not used. */
struct S { int a[6]; };
static void h(struct S *p) {
    struct S s = *p; //~ null
}
int main(void) {
    h(0);
    return 0;
}
