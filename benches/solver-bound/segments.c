// Segments between points of small integers: orientation by cross products, crossings, areas and lengths.
#define N 12
#include "input.h"

static int cross(const int *a, const int *b, const int *c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

int main(void) {
    read_input();
    int p[6][2], kind = 0;
    for (int i = 0; i < 6; i++) {
        p[i][0] = (int8_t)in[2 * i];
        p[i][1] = (int8_t)in[2 * i + 1];
    }
    int left = 0, flat = 0;
    for (int i = 0; i < 6; i++) {
        int c = cross(p[i], p[(i + 1) % 6], p[(i + 2) % 6]);
        if (c > 0) left++;
        else if (c == 0) flat++;
        int dx = p[(i + 1) % 6][0] - p[i][0], dy = p[(i + 1) % 6][1] - p[i][1];
        if (dx * dx + dy * dy > 6000) kind++;
    }
    if (flat > 1) return 1;
    if (left == 6) return 2;
    for (int i = 0; i < 3; i++) {
        const int *a = p[i], *b = p[i + 1], *c = p[i + 2], *d = p[(i + 3) % 6];
        if ((cross(a, b, c) > 0) != (cross(a, b, d) > 0) && (cross(c, d, a) > 0) != (cross(c, d, b) > 0)) kind += 8;
    }
    return kind;
}
