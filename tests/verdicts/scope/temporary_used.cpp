/* The temporary object lives until the end of the expression, a bound one longer. */
struct Box {
    int value[4];
    const int *first() const { return value; }
};
static Box make() { return Box{{1, 2, 3, 4}}; }
int main() {
    int a = *make().first();
    const Box &kept = make();
    return a + kept.first()[1] != 3;
}
