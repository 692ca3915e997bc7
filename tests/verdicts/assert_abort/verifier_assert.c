// message: __VERIFIER_assert failed
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assert(x != 3); //~ assert
    return 0;
}
