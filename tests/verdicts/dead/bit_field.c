/* A bit field that nobody uses. */
struct S { unsigned a : 3, b : 7; };
static void h(struct S *p) {
    p->b; //~ null
}
int main(void) {
    h(0);
    return 0;
}
