/* A called function keeps the address. */
static int *kept;
static void keep(int *p) { kept = p; }
int main(void) {
    {
        int x[4] = {1};
        keep(x);
    }
    return kept[1] == 5; //~ use_after_free
}
