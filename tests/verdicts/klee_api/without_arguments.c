// A declaration without a prototype, and a call without the argument.
void __VERIFIER_assume();

int main(void) {
    __VERIFIER_assume(); //~ function_type
    return 0;
}
