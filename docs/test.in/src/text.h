/* The number of a month by its first letter and length, or 0. */
int month(char first, int length);
/* Whether a day is at a weekend; its name must not be null. */
int is_weekend(const char *day);
