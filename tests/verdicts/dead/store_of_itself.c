/* A store of what is there already, in constant memory. */
static const int c = 3;
static void h(int *p) {
    *p = *p; //~ readonly
}
int main(void) {
    h((int *)&c);
    return 0;
}
