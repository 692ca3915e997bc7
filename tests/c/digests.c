/* Bit-twiddling loops: CRC, MD5, base64, xorshift, a small matrix product. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t crc(const uint8_t *p, size_t n) {
    uint32_t c = ~0u;
    while (n--) { c ^= *p++; for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1; }
    return ~c;
}
static const uint8_t R[64] = {7,12,17,22,7,12,17,22,7,12,17,22,7,12,17,22,5,9,14,20,5,9,14,20,5,9,14,20,5,9,14,20,4,11,16,23,4,11,16,23,4,11,16,23,4,11,16,23,6,10,15,21,6,10,15,21,6,10,15,21,6,10,15,21};
static const uint32_t K[64] = {
0xd76aa478,0xe8c7b756,0x242070db,0xc1bdceee,0xf57c0faf,0x4787c62a,0xa8304613,0xfd469501,0x698098d8,0x8b44f7af,0xffff5bb1,0x895cd7be,0x6b901122,0xfd987193,0xa679438e,0x49b40821,
0xf61e2562,0xc040b340,0x265e5a51,0xe9b6c7aa,0xd62f105d,0x02441453,0xd8a1e681,0xe7d3fbc8,0x21e1cde6,0xc33707d6,0xf4d50d87,0x455a14ed,0xa9e3e905,0xfcefa3f8,0x676f02d9,0x8d2a4c8a,
0xfffa3942,0x8771f681,0x6d9d6122,0xfde5380c,0xa4beea44,0x4bdecfa9,0xf6bb4b60,0xbebfbc70,0x289b7ec6,0xeaa127fa,0xd4ef3085,0x04881d05,0xd9d4d039,0xe6db99e5,0x1fa27cf8,0xc4ac5665,
0xf4292244,0x432aff97,0xab9423a7,0xfc93a039,0x655b59c3,0x8f0ccc92,0xffeff47d,0x85845dd1,0x6fa87e4f,0xfe2ce6e0,0xa3014314,0x4e0811a1,0xf7537e82,0xbd3af235,0x2ad7d2bb,0xeb86d391};
static void md5_block(uint32_t h[4], const uint8_t *p) {
    uint32_t w[16], a = h[0], b = h[1], c = h[2], d = h[3];
    memcpy(w, p, 64);
    for (int i = 0; i < 64; i++) {
        uint32_t f; int g;
        if (i < 16) { f = (b & c) | (~b & d); g = i; }
        else if (i < 32) { f = (d & b) | (~d & c); g = (5 * i + 1) & 15; }
        else if (i < 48) { f = b ^ c ^ d; g = (3 * i + 5) & 15; }
        else { f = c ^ (b | ~d); g = 7 * i & 15; }
        uint32_t t = d; d = c; c = b; f += a + K[i] + w[g]; b += f << R[i] | f >> (32 - R[i]); a = t;
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d;
}
int main(void) {
    const char *text = "The quick brown fox jumps over the lazy dog";
    printf("%08x\n", crc((const uint8_t *)text, strlen(text)));
    uint8_t block[64] = {0};
    size_t n = strlen(text);
    memcpy(block, text, n);
    block[n] = 0x80;
    uint64_t bits = n * 8;
    memcpy(block + 56, &bits, 8);
    uint32_t h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    md5_block(h, block);
    for (int i = 0; i < 16; i++) printf("%02x", h[i / 4] >> (i % 4 * 8) & 255);
    puts("");
    static const char b64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)(uint8_t)text[i] << 16;
        if (i + 1 < n) v |= (uint32_t)(uint8_t)text[i + 1] << 8;
        if (i + 2 < n) v |= (uint8_t)text[i + 2];
        printf("%c%c%c%c", b64[v >> 18], b64[v >> 12 & 63], i + 1 < n ? b64[v >> 6 & 63] : '=', i + 2 < n ? b64[v & 63] : '=');
    }
    puts("");
    uint64_t x = 88172645463325252ull, s = 0;
    for (int i = 0; i < 5000; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; s += x >> 33; }
    printf("%llu\n", (unsigned long long)s);
    double a[12][12], b[12][12], t = 0;
    for (int i = 0; i < 12; i++) for (int j = 0; j < 12; j++) { a[i][j] = i + j * 0.5; b[i][j] = i - j * 0.25; }
    for (int i = 0; i < 12; i++) for (int j = 0; j < 12; j++) { double c = 0; for (int k = 0; k < 12; k++) c += a[i][k] * b[k][j]; t += c * (i - j); }
    printf("%.15g\n", t);
    return 0;
}
