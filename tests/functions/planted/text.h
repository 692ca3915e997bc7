/* Texts. Those without a length end with a zero byte. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* The value of the two digits with which a text begins; -1 if it does not. */
int text_hex(const char *s);
/* Cuts blanks off the end of a text. */
void text_trim(char *s);
/* Characters of `data`, where a backslash and the next byte are one. */
size_t text_count(const unsigned char *data, size_t len);
/* The weighted sum of the digits of a text. */
int text_checksum(const char *s);
/* Digits of a number. */
size_t text_digits(int n);
/* Copies the first word of a text; `room` bytes may be written, and the last one is a zero. */
void text_word(const char *s, char *word, size_t room);
/* The length of the value in "name=value"; 0 if there is none. */
size_t text_value(const char *s);
/* Upper-case letters of a text, which must not be null. */
size_t text_capitals(const char *s);
/* Adds a text at the end of another one, which has room for it. */
void text_append(char *s, const char *more);
/* The sum of the bytes of a text. */
unsigned text_sum(const unsigned char *s);
/* The sum of the bytes of a text, or, if `whole` is 0, of its first `len` bytes. */
unsigned text_hash(const unsigned char *s, size_t len, int whole);
/* The kind of a text that has at least one byte. */
unsigned text_kind(const unsigned char *data, size_t len);
/* Begins an empty text, where there is room for its zero; its length. */
size_t text_begun(unsigned char *data, size_t room);
/* Puts a zero behind `len` bytes. The array that `data` leads to
   must have one byte more than that. */
void text_close(unsigned char *data, size_t len);
/* Bytes that a text takes when it stands there `times` times, at least once. */
size_t text_repeated(const char *s, int times);

#endif
