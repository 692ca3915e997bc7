// run: --check memory,uninit
/* A member that nobody wrote is passed, which is no error, and read. */
struct s { char a; int b; };
__attribute__((noinline)) int sum(struct s v) {
    return v.a + v.b; //~ uninitialized
}
int main(void) {
    struct s v;
    v.a = 1;
    return sum(v);
}
