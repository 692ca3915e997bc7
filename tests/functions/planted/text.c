#include "text.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

int text_hex(const char *s) {
    int low = digit(s[1]); /* PLANTED: of an empty text. CONTRACT of null */
    int high = digit(s[0]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

void text_trim(char *s) {
    size_t n = strlen(s); /* CONTRACT: null */
    while (s[n - 1] == ' ') /* PLANTED: of a text of blanks */
        n--;
    s[n] = 0;
}

size_t text_count(const unsigned char *data, size_t len) {
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        if (data[i] == '\\' && data[++i] == 0) /* PLANTED: a backslash at the end. CONTRACT of null */
            break;
        n++;
    }
    return n;
}

static const int weights[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 8};

int text_checksum(const char *s) {
    int sum = 0;
    for (size_t i = 0; s[i]; i++) /* CONTRACT: null */
        sum += weights[s[i] - '0']; /* PLANTED: no digit */
    return sum;
}

size_t text_digits(int n) {
    char text[8];
    sprintf(text, "%d", n); /* PLANTED: nine digits */
    return strlen(text);
}

void text_word(const char *s, char *word, size_t room) {
    size_t i = 0;
    for (; i < room && s[i] && s[i] != ' '; i++) /* CONTRACT: null */
        word[i] = s[i]; /* CONTRACT: null */
    word[i] = 0; /* PLANTED: no room for the zero */
}

size_t text_value(const char *s) {
    const char *at = strchr(s, '='); /* CONTRACT: null */
    return strlen(at + 1); /* PLANTED: no '=' */
}

size_t text_capitals(const char *s) {
    size_t n = 0;
    for (; *s; s++) /* CONTRACT: null */
        n += *s >= 'A' && *s <= 'Z';
    return n;
}

void text_append(char *s, const char *more) {
    strcat(s, more); /* CONTRACT: room */
}

unsigned text_sum(const unsigned char *s) {
    unsigned sum = 0;
    while (*s) /* CONTRACT: ends with a zero */
        sum += *s++;
    return sum;
}

unsigned text_hash(const unsigned char *s, size_t len, int whole) {
    unsigned sum = 0;
    for (size_t i = 0; whole || i < len; i++) {
        if (whole && s[i] == 0) /* CONTRACT: ends with a zero */
            break;
        sum += s[i]; /* CONTRACT: null */
    }
    return sum;
}

unsigned text_kind(const unsigned char *data, size_t len) {
    if (data[0] != '#') /* CONTRACT: a byte, and null */
        return 0;
    return len > 1 ? data[1] : 1;
}

size_t text_begun(unsigned char *data, size_t room) {
    size_t n = 0;
    if (room > 0)
        data[0] = 0; /* CONTRACT: null */
    while (data[n]) /* PLANTED: no room at all */
        n++;
    return n;
}

void text_close(unsigned char *data, size_t len) {
    data[len] = 0; /* CONTRACT: one byte more. CONTRACT of null */
}

size_t text_repeated(const char *s, int times) {
    assert(times > 0); /* CONTRACT */
    return strlen(s) * (size_t)times; /* CONTRACT: null */
}
