/* Assembly that jumps is named with its text. */
// halted: unsupported
// message: asm goto
int main(void) {
    __asm__ goto("jmp %l0" : : : : there);
    return 1;
there:
    return 0;
}
