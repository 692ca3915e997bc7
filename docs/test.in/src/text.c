#include "text.h"

static const int days[3] = {1, 6, 7};

int month(char first, int length) {
    switch (first) {
    case 'J': return days[length];
    case 'F': return 2;
    case 'M': return length == 3 ? 5 : 3;
    }
    return 0;
}

int is_weekend(const char *day) {
    return day[0] == 'S' && (day[1] == 'a' || day[1] == 'u');
}
