/* The call of a pure function whose result nobody uses. */
__attribute__((pure, noinline)) static int get(const int *p) {
    return *p; //~ null
}
static void h(const int *p) { get(p); }
int main(void) {
    h(0);
    return 0;
}
