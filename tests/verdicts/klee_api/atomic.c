void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = 0;
    __VERIFIER_atomic_begin();
    if (x == 5) y = 1 / (x - 5); //~ div_zero
    __VERIFIER_atomic_end();
    return y;
}
