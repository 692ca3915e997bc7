// run: --check memory,uninit
/* To set a bit-field the compiler reads what lies around it. */
struct bits { unsigned a : 3, b : 5; };
int main(void) {
    struct bits v;
    v.a = 1;
    v.b = 2;
    return v.a + v.b == 3 ? 0 : 1;
}
