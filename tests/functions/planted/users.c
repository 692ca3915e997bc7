/* What users of the libraries may do: each case comes to one of the planted bugs, in the order of the sources
   (ring.c, text.c, table.c, record.c), by calls that the headers allow. Exits with 7 where nothing happens. */
#include "record.h"
#include "ring.h"
#include "table.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

/* A text or an array that ends where its memory does. */
static void *own(const void *bytes, size_t n) {
    void *copy = malloc(n);
    memcpy(copy, bytes, n);
    return copy;
}

int main(int argc, char **argv) {
    ring_t *ring = ring_new(2);
    struct table table;
    int value;
    if (argc != 2 || !ring || table_init(&table, 1))
        return 2;
    switch (atoi(argv[1])) {
    case 0:
        ring_clear(ring);
        ring_push(ring, 1);
        break;
    case 20:
        ring_clear(ring);
        ring_free(ring);
        break;
    case 21:
        ring_clear(ring);
        ring_clear(ring);
        break;
    case 1:
        ring_at(ring, 2, &value);
        break;
    case 2:
        ring_last(ring);
        break;
    case 3:
        ring_average(ring);
        break;
    case 4:
        text_hex(own("", 1));
        break;
    case 5:
        text_trim(own("", 1));
        break;
    case 6:
        text_count(own("ab\\", 3), 3);
        break;
    case 7:
        text_checksum("a");
        break;
    case 8:
        text_digits(123456789);
        break;
    case 9:
        text_word("word", own("....", 4), 4);
        break;
    case 10:
        text_value("name");
        break;
    case 11:
        table_put(&table, 1, 1);
        table_put(&table, 2, 2);
        break;
    case 12:
        table_put(&table, 1, 1);
        table_remove(&table, 1);
        break;
    case 13:
        table_newest(&table);
        break;
    case 14:
        table_init(&table, 8);
        table_hashed(&table, -7);
        break;
    case 15:
        record_length(own("t", 1), 1);
        break;
    case 16:
        record_sum(own("t\377", 2), 2);
        break;
    case 17:
        record_small(own("t\006abcdef", 8), 8);
        break;
    case 18:
        return record_letter(7) ? 7 : 7;
    case 19:
        record_reject(-1);
        break;
    case 22:
        text_begun(own("", 0), 0);
        break;
    case 23:
        record_total(own("ABCD", 4), 1);
        break;
    case 24:
        record_greatest(own("AAAABBBBCCCCDDDD", 16));
        break;
    }
    return 7;
}
