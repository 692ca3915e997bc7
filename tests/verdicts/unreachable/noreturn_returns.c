/* A function that is declared not to return does. */
__attribute__((noreturn)) static void stop(int x) {
    (void)x;
} //~ unreachable
int main(void) {
    stop(1);
}
