/* Dates by tables: days before a month, names compared through a table of offsets into one string,
   weekday by a perpetual table. */
#include "klee/klee.h"
#include <stdint.h>

static const uint16_t before[2][13] = {
    {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365},
    {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366}};
static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
static const uint8_t shift[12] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};

int main(void) {
    struct { uint8_t month, day, hour; uint16_t year; char name[3]; } t;
    klee_make_symbolic(&t, sizeof t, "t");
    if (t.month >= 12 || t.year < 1900 || t.year >= 2100) return 1;
    int leap = t.year % 4 == 0 && (t.year % 100 != 0 || t.year % 400 == 0);
    int days = before[leap][t.month + 1] - before[leap][t.month];
    if (t.day < 1 || t.day > days) return 2;
    for (int i = 0; i < 3; i++)
        if (names[t.month * 3 + i] != t.name[i]) return 3 + i;
    int y = t.year - (t.month < 2);
    int weekday = (y + y / 4 - y / 100 + y / 400 + shift[t.month] + t.day) % 7;
    int yday = before[leap][t.month] + t.day;
    if (weekday == 5 && t.day == 13) return 10;
    if (yday % 7 == weekday) return 11;
    return 12;
}
