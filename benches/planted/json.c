// A reader of nested lists, texts and numbers; the bug is a number at depth three behind a certain key.
#define N 14
#include "input.h"

static int at, depth, found;

static int value(void);

static int peek(void) {
    return at < N ? in[at] : 0;
}

static int text(void) {
    int hash = 0;
    at++;
    while (peek() && peek() != '"') hash = hash * 31 + in[at++];
    if (peek() != '"') exit(1);
    at++;
    return hash;
}

static int list(int close, int pairs) {
    int n = 0;
    at++;
    depth++;
    while (peek() != close) {
        if (n++ && (peek() != ',' || !++at)) exit(1);
        int key = 0;
        if (pairs) {
            if (peek() != '"') exit(1);
            key = text();
            if (peek() != ':') exit(1);
            at++;
        }
        int v = value();
        if (pairs && depth == 3 && key == 'k' && v == 42) found = 1;
    }
    at++;
    depth--;
    return n;
}

static int value(void) {
    int c = peek(), n = 0;
    if (c == '[') return list(']', 0);
    if (c == '{') return list('}', 1);
    if (c == '"') return text();
    if (c < '0' || c > '9') exit(1);
    while (peek() >= '0' && peek() <= '9') n = n * 10 + in[at++] - '0';
    return n;
}

int main(void) {
    read_input();
    value();
    if (found) planted();
    return 0;
}
