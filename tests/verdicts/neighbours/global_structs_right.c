struct pair { int key; char name[20]; };
struct pair table[4], other[4];

int main(int argc, char **argv) {
    volatile int i = 2 + argc;
    table[i].key = 1;
    return other[0].key;
}
