/* An expression statement. */
static void h(int *a) {
    *a; //~ null
}
int main(void) {
    h(0);
    return 0;
}
