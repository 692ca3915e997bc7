/* A table of numbers, in a structure of the user's. */
#ifndef TABLE_H
#define TABLE_H

struct entry {
    int key, value;
};

struct table {
    struct entry *entries;
    unsigned used, size;
};

/* An empty table for 1 to 8 entries: 0, or -1 if that is not so. */
int table_init(struct table *table, unsigned size);
/* 0, or -1 if the table is full. */
int table_put(struct table *table, int key, int value);
/* 0, or -1 if there is no such entry. */
int table_get(const struct table *table, int key, int *value);
/* 0, or -1 if there is no such entry. */
int table_remove(struct table *table, int key);
/* The value that was put last; 0 of an empty table. */
int table_newest(const struct table *table);
/* The value of the entry that a key would have if the table were one of hashes; 0 if it has none. */
int table_hashed(const struct table *table, int key);
/* The sum of all values. */
long table_sum(const struct table *table);
/* Exchanges two entries; both are there. */
void table_swap(struct table *table, unsigned i, unsigned j);
/* Moves all entries of a table to the end of another one. */
int table_move(struct table *to, struct table *from);

#endif
