/* The days of a month, from 1 to 12, in a year. */
int days_of(int month, int year);
