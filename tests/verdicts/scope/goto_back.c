/* A jump back into the block starts its scope again. */
static int *kept;
static void keep(int *p) { kept = p; }
int main(void) {
    int round = 0, sum = 0;
again: {
    int x = round;
    keep(&x);
    sum += *kept;
    if (++round < 3) goto again;
}
    return sum != 3;
}
