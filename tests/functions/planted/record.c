#include "record.h"
#include <stdlib.h>
#include <string.h>

int record_length(const unsigned char *data, size_t len) {
    if (len == 0)
        return -1;
    return data[1]; /* PLANTED: a tag alone. CONTRACT of null */
}

unsigned record_sum(const unsigned char *data, size_t len) {
    unsigned sum = 0;
    if (len < 2)
        return 0;
    for (int i = 0; i < data[1]; i++) /* CONTRACT: null */
        sum += data[2 + i]; /* PLANTED: a length that is too large */
    return sum;
}

unsigned record_small(const unsigned char *data, size_t len) {
    unsigned char small[4] = {0};
    if (len < 2 || data[1] > len - 2) /* CONTRACT: null */
        return 0;
    memcpy(small, data + 2, data[1]); /* PLANTED: more than four bytes */
    return small[0] + small[1] + small[2] + small[3];
}

static const char *const names[6] = {"none", "text", "number", "list", "map", "end"};

char record_letter(unsigned tag) {
    return names[tag & 7][0]; /* PLANTED: tags 6 and 7 */
}

int record_reject(int code) {
    int *note = malloc(sizeof *note);
    if (!note)
        return -1;
    *note = code;
    int result = 0;
    if (code < 0) {
        free(note);
        result = -1;
    }
    free(note); /* PLANTED: freed twice */
    return result;
}

int record_visit(const unsigned char *data, size_t len, int (*visit)(int byte)) {
    int result = 0;
    if (len < 2 || data[1] > len - 2) /* CONTRACT: null */
        return -1;
    for (int i = 0; i < data[1]; i++)
        result |= visit(data[2 + i]); /* CONTRACT: null */
    return result;
}

int record_first(const struct record *record) {
    return record->content[0]; /* CONTRACT: no content */
}

unsigned record_step(const struct record *record) {
    if (record->state > 2) /* CONTRACT: null */
        abort(); /* CONTRACT: no such state */
    return record->state + 1;
}

enum record_kind record_ahead(const struct record *record) {
    return record->next->next->kind; /* CONTRACT: no such record */
}

void record_write(unsigned char *data, const char *text) {
    strcpy((char *)data, text); /* CONTRACT: room */
}

double record_mean(const double *weights) {
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += weights[i]; /* CONTRACT: six of them */
    return sum / 6;
}

int record_total(const int *values, unsigned upto) {
    int sum = 0;
    for (unsigned i = 0; i <= upto; i++)
        sum ^= values[i]; /* PLANTED: one too many. CONTRACT of null */
    return sum;
}

int record_greatest(const int values[4]) {
    int greatest = values[0]; /* CONTRACT: null */
    for (unsigned i = 1; i <= 4; i++)
        if (values[i] > greatest) /* PLANTED: one too many */
            greatest = values[i];
    return greatest;
}
