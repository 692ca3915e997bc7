/* A volatile load. */
static void h(volatile int *a) {
    *a; //~ null
}
int main(void) {
    h(0);
    return 0;
}
