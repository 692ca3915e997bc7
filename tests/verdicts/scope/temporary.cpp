/* A pointer into a temporary object, used after the expression. */
struct Box {
    int value[4];
    int *first() { return value; }
};
static Box make() { return Box{{1, 2, 3, 4}}; }
int main() {
    int *p = make().first();
    return *p == 9; //~ use_after_free
}
