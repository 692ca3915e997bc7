// A function that is called directly through a type of the same widths, as passes make a call of a constant table.
// run: --check function-type
static float f(int x) { return x; }
static int g(int x) { return x; }
int main(void) {
    int (*table[2])(int) = {g, (int (*)(int))f};
    int (*called)(int) = table[1];
    return called(1) == 7; //~ function_type
}
