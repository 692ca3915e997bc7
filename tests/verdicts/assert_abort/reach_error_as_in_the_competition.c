// message: assertion failed: 0
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *)
    __attribute__((__nothrow__, __leaf__)) __attribute__((__noreturn__));
void reach_error() { __assert_fail("0", "task.c", 3, "reach_error"); } //~ assert

void __VERIFIER_assert(int cond) {
    if (!cond) {
    ERROR: { reach_error(); abort(); }
    }
}

int main(void) {
    __VERIFIER_assert(__VERIFIER_nondet_int() != 3);
    return 0;
}
