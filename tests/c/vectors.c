/* Vector types: arithmetic, comparison, shuffles, conversions, memory. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int v4i __attribute__((vector_size(16)));
typedef unsigned char v16b __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
typedef double v2d __attribute__((vector_size(16)));
typedef long v8l __attribute__((vector_size(64)));
typedef short v8s __attribute__((vector_size(16)));

static void show(v4i v) { printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]); }
static v4i scale(v4i v, int k) { return v * k + (v4i){1, 2, 3, 4}; }
static v4f blend(v4f a, v4f b) { v4i m = a < b; return (v4f)(((v4i)a & m) | ((v4i)b & ~m)); }

int main(void) {
    volatile int k = 3;
    v4i a = {1, -2, 3, -4}, b = {10, 20, 30, 40};
    show(a + b); show(a - b); show(a * b); show(b / a); show(b % a);
    show(a << 2); show(a >> 1); show(a & b); show(a ^ b); show(~a); show(-a);
    show(a < b); show(a == (v4i){1, 0, 3, 0});
    show(scale(a, k));
    a[k - 1] = 99;
    show(a);
    printf("%d\n", a[k]);
    show(__builtin_shufflevector(a, b, 0, 5, 2, 7));
    v4f f = {1.5f, -2.5f, 0.25f, 8.0f}, g = {1.0f, -2.0f, 0.5f, 9.0f}, h = blend(f, g);
    printf("%g %g %g %g\n", h[0], h[1], h[2], h[3]);
    show(__builtin_convertvector(f * 4, v4i));
    volatile double tenth = 0.1;
    v2d d = {tenth, 2 * tenth};
    d = d + d * d;
    printf("%.17g %.17g\n", d[0], d[1]);
    v16b bytes;
    for (int i = 0; i < 16; i++) bytes[i] = (unsigned char)(i * 37);
    bytes += 200;
    uint32_t sum = 0;
    for (int i = 0; i < 16; i++) sum = sum * 31 + bytes[i];
    printf("%u\n", sum);
    v8l l = {1, 2, 3, 4, 5, 6, 7, 8};
    l = l * l - 5;
    long total = 0;
    for (int i = 0; i < 8; i++) total += l[i];
    printf("%ld\n", total);
    v8s s = {1, 2, 3, 4, 5, 6, 7, 8};
    s = (s > 4) & s;
    printf("%d %d\n", s[3], s[4]);
    int data[67], out = 0;
    for (int i = 0; i < 67; i++) data[i] = i * k - 50;
    for (int i = 0; i < 67; i++) out += data[i] > 0 ? data[i] : -2 * data[i];
    float fs[33], dot = 0;
    for (int i = 0; i < 33; i++) fs[i] = (float)i * 0.5f;
    for (int i = 0; i < 33; i++) dot += fs[i] * fs[32 - i];
    int max = data[0], min = data[0];
    for (int i = 0; i < 67; i++) { max = data[i] > max ? data[i] : max; min = data[i] < min ? data[i] : min; }
    printf("%d %g %d %d\n", out, dot, max, min);
    return 0;
}
