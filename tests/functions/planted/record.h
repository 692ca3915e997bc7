/* Records: a tag, a length and so many bytes. */
#ifndef RECORD_H
#define RECORD_H

#include <stddef.h>

enum record_kind { RECORD_NONE, RECORD_TEXT, RECORD_NUMBER };

struct record {
    enum record_kind kind;
    unsigned state;
    const unsigned char *content;
    struct record *next;
};

/* The length of the first record in `data`; -1 if there is none. */
int record_length(const unsigned char *data, size_t len);
/* The sum of the content of the first record in `data`. */
unsigned record_sum(const unsigned char *data, size_t len);
/* Like it, of a record with at most four bytes; 0 of a longer one. */
unsigned record_small(const unsigned char *data, size_t len);
/* The first letter of a tag's name. */
char record_letter(unsigned tag);
/* Notes a code; 0, or -1 if it is negative. */
int record_reject(int code);
/* Calls a function, which must not be null, for each byte of the content of the first record in `data`. */
int record_visit(const unsigned char *data, size_t len, int (*visit)(int byte));
/* The first byte of a record that has some. */
int record_first(const struct record *record);
/* The next state of a record that a reader has begun (states 0 to 2). */
unsigned record_step(const struct record *record);
/* The kind of the record after the next one, which is there. */
enum record_kind record_ahead(const struct record *record);
/* Writes a text with its zero to `data`, which has room for it. */
void record_write(unsigned char *data, const char *text);
/* The mean of six weights. */
double record_mean(const double *weights);
/* The sum of so many values. */
int record_total(const int *values, unsigned upto) __attribute__((access(read_only, 1, 2)));
/* The greatest of four values. */
int record_greatest(const int values[4]);

#endif
