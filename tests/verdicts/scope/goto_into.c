/* A jump into a block, past its declaration. */
static int *kept;
static void keep(int *p) { kept = p; }
int main(void) {
    int round = 0;
    goto inside;
    {
        int x;
        round = 5;
    inside:
        x = 3;
        keep(&x);
        if (*kept != 3) return 1;
    }
    return round;
}
