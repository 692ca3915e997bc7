/* A store to null. */
static void h(int *p) {
    *p = 1; //~ null
}
int main(void) {
    h(0);
    return 0;
}
