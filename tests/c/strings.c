/* The string.h family, conversions, tokenising. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <errno.h>

static int sign(int x) { return (x > 0) - (x < 0); }

int main(void) {
    char buf[64], other[64];
    for (size_t n = 0; n < 40; n++) {
        memset(buf, 'a' + (int)(n % 26), n);
        buf[n] = 0;
        if (strlen(buf) != n || strnlen(buf, 10) != (n < 10 ? n : 10)) puts("strlen broken");
    }
    strcpy(buf, "hello");
    strcat(buf, ", ");
    strncat(buf, "world and more", 5);
    puts(buf);
    memset(other, '#', sizeof other);
    strncpy(other, "abc", 6);
    printf("%d %d %d %c\n", other[3], other[4], other[5], other[6]);
    printf("%td %td %s\n", strchr(buf, 'o') - buf, strrchr(buf, 'o') - buf, strstr(buf, "wor"));
    printf("%d %d %d %d\n", sign(strcmp("abc", "abd")), sign(strcmp("b", "abc")), sign(strcmp("x", "x")),
           sign(strncmp("abcdef", "abcxyz", 3)));
    printf("%d %d\n", sign(memcmp("a\0b", "a\0c", 3)), sign(strcasecmp("HeLLo", "hEllO")));
    printf("%zu %zu %s\n", strspn("aabbc", "ab"), strcspn("hello", "ol"), strpbrk("find the: colon", ":"));
    memmove(buf + 2, buf, 10);
    buf[12] = 0;
    puts(buf);
    memmove(buf, buf + 3, 8);
    puts(buf);
    char line[] = "one,two;;three, four";
    for (char *save, *t = strtok_r(line, ",; ", &save); t; t = strtok_r(NULL, ",; ", &save)) printf("[%s]", t);
    puts("");
    char *end;
    long v = strtol("  -123abc", &end, 10);
    printf("%ld %s|", v, end);
    v = strtol("0x7fGG", &end, 0);
    printf("%ld %s|", v, end);
    printf("%lu|", strtoul("777", &end, 8));
    printf("%ld|", strtol("zz", &end, 36));
    errno = 0;
    v = strtol("99999999999999999999", &end, 10);
    printf("%ld %d\n", v, errno == ERANGE);
    printf("%lld %d %d\n", atoll("-9223372036854775807"), atoi("42xyz"), abs(-7));
    char *dup = strdup("duplicate");
    for (char *p = dup; *p; p++) *p = (char)toupper((unsigned char)*p);
    puts(dup);
    free(dup);
    int counts[6] = {0};
    for (int c = 0; c < 128; c++) {
        counts[0] += !!isalpha(c); counts[1] += !!isdigit(c); counts[2] += !!isspace(c);
        counts[3] += !!ispunct(c); counts[4] += !!isxdigit(c); counts[5] += !!iscntrl(c);
    }
    for (int i = 0; i < 6; i++) printf("%d ", counts[i]);
    puts("");
    int a, b; char word[16]; float f;
    int n = sscanf("12 0x1f word 3.5", "%d %x %15s %f", &a, (unsigned *)&b, word, &f);
    printf("%d: %d %d %s %.2f\n", n, a, b, word, f);
    n = snprintf(buf, 8, "%s", "truncated text");
    printf("%d %s\n", n, buf);
    printf("%d %s\n", memchr("abc", 'z', 3) == NULL, (char *)memchr("abcdef", 'd', 6));
    unsigned char hash = 0;
    for (const char *p = "The quick brown fox jumps over the lazy dog"; *p; p++) hash = (unsigned char)(hash * 31 + *p);
    printf("%u\n", hash);
    return hash & 1;
}
