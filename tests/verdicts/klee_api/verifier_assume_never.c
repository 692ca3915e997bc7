// The competition's assumption stays silent.
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 5);
    __VERIFIER_assume(x < 3);
    return 0;
}
