#include "table.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int table_init(struct table *table, unsigned size) {
    if (size < 1 || size > 8)
        return -1;
    table->entries = calloc(size, sizeof *table->entries);
    table->used = 0;
    table->size = size;
    return table->entries ? 0 : -1;
}

int table_put(struct table *table, int key, int value) {
    if (table->used > table->size)
        return -1;
    table->entries[table->used].key = key; /* PLANTED: one more than its size */
    table->entries[table->used].value = value;
    table->used++;
    return 0;
}

int table_get(const struct table *table, int key, int *value) {
    for (unsigned i = 0; i < table->used; i++)
        if (table->entries[i].key == key) {
            *value = table->entries[i].value; /* CONTRACT: null */
            return 0;
        }
    return -1;
}

int table_remove(struct table *table, int key) {
    struct entry *all = table->entries;
    for (unsigned i = 0; i < table->used; i++)
        if (all[i].key == key) {
            memmove(all + i, all + i + 1, (table->used - i) * sizeof *all); /* PLANTED: of a full table */
            table->used--;
            return 0;
        }
    return -1;
}

int table_newest(const struct table *table) {
    return table->entries[table->used - 1].value; /* PLANTED: of an empty table */
}

int table_hashed(const struct table *table, int key) {
    return table->entries[key % (int)table->size].value; /* PLANTED: of a negative key */
}

long table_sum(const struct table *table) {
    long sum = 0;
    for (unsigned i = 0; i < table->used; i++)
        sum += table->entries[i].value; /* CONTRACT: more used than there are */
    return sum;
}

void table_swap(struct table *table, unsigned i, unsigned j) {
    assert(i < table->used && j < table->used); /* CONTRACT */
    struct entry other = table->entries[i];
    table->entries[i] = table->entries[j];
    table->entries[j] = other;
}

int table_move(struct table *to, struct table *from) {
    assert(to != from); /* CONTRACT */
    if (to->size - to->used < from->used)
        return -1;
    for (unsigned i = 0; i < from->used; i++)
        to->entries[to->used++] = from->entries[i]; /* CONTRACT: more used than there are */
    from->used = 0;
    return 0;
}
