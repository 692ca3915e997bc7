/* A result in memory that nobody uses. */
struct S { long a[8]; };
static struct S get(struct S *p) {
    return *p; //~ null
}
int main(void) {
    (void)get(0);
    return 0;
}
