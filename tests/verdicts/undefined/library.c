// run: --check memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,pedantic,overflow,bounds,uninit,function-type,memcmp,fp-cast,fp-overflow
/* C11 Annex J.2, 7.22 and 7.24: memory, strings, sorting, conversions. How the rows are written: crates/cli/tests/undefined.rs. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "klee/klee.h"

static volatile int sink;

static int by_value(const void *a, const void *b) {
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y); //~ null out_of_bounds
}
static int always_less(const void *a, const void *b) { return a == b ? 0 : -1; }
static int changes(const void *a, const void *b) {
    *(int *)a = 7;
    return by_value(a, b);
}
static void exits(void) { exit(1); } //~ misuse
static void quickly(void) { quick_exit(1); } //~ misuse
static void wait_for_nothing(void) {}

int main(void) {
    int row = klee_range(0, 70, "row");
    int bad = klee_range(0, 2, "bad");
    static int sorted[4] = {1, 2, 3, 4};
    char text[16] = "abcdefgh";
    int *volatile none = NULL;

    switch (row) {
    //# 7.1.4 | An argument of a library function is a null pointer
    case 1: sink = (int)strlen(bad ? (char *)none : text); break; //~ null
    //# 7.1.4 | An argument of a library function points to constant memory that it writes
    case 2: {
        static const char constant[4] = "abc";
        strcpy(bad ? (char *)constant : text, "x"); //~ readonly
        break;
    }
    //# 7 | memcpy between objects that overlap
    case 3: memcpy(text + (bad ? 1 : 4), text, 4); break; //~ overlap
    //# 7.24.2.3 | strcpy between objects that overlap
    case 4: strcpy(bad ? text + 1 : text + 10, text + 4); break; //~ overlap
    //# 7.24.3.1 | strcat of a string to itself
    case 5: strcat(text, bad ? text + 4 : "x"); break; //~ overlap
    //# 7.24.2.4 | strncpy between objects that overlap
    case 6: strncpy(text + (bad ? 1 : 4), text, 4); break; //~ overlap
    //# 7.22.3 | An object of size zero is accessed
    case 7: {
        char *p = malloc(bad ? 0 : 1);
        if (p) *p = 1; //~ out_of_bounds
        free(p);
        break;
    }
    //# 7.22.3 | A heap object is accessed after free
    case 8: {
        int *volatile p = calloc(1, sizeof *p);
        if (!p) break;
        if (bad) free(p);
        sink = *p; //~ use_after_free
        if (!bad) free(p);
        break;
    }
    //# 7.22.3 | A heap object is accessed after realloc
    case 9: {
        int *volatile p = calloc(1, sizeof *p);
        if (!p) break;
        int *q = realloc(p, 64);
        if (!q) break;
        sink = bad ? *p : *q; //~ use_after_free
        free(q);
        break;
    }
    //# 7.22.3.1 | aligned_alloc with an alignment that is no power of two | not: C11's corrigendum lets it return null, as it does here
    case 10: {
        void *p = aligned_alloc(bad ? 3 : 16, 16);
        free(p);
        break;
    }
    //# 7.22.3.1 | aligned_alloc with a size that is no multiple of the alignment | not: C17 allows it
    case 11: {
        void *p = aligned_alloc(16, bad ? 3 : 16);
        free(p);
        break;
    }
    //# 7.22.3.3 | free of a pointer that the malloc family did not return
    case 12: {
        void *p = malloc(4);
        if (!p) break;
        free(bad ? sorted : p); //~ invalid_free
        break;
    }
    //# 7.22.3.3 | free of a pointer into the middle of a heap object
    case 13: {
        char *p = malloc(4);
        if (!p) break;
        free(p + bad); //~ invalid_free
        break;
    }
    //# 7.22.3.3 | free of a pointer that is freed
    case 14: {
        char *p = malloc(4);
        if (bad) free(p);
        free(p); //~ double_free
        break;
    }
    //# 7.22.3.3 | free of an object on the stack
    case 15: {
        char *p = malloc(4);
        if (!p) break;
        free(bad ? text : p); //~ invalid_free
        break;
    }
    //# 7.22.3.5 | realloc of a pointer that the malloc family did not return
    case 16: {
        char *p = malloc(4);
        if (!p) break;
        p = realloc(p + bad, 8); //~ invalid_free
        free(p);
        break;
    }
    //# 7.22.3.5 | realloc of a pointer that is freed
    case 17: {
        char *p = malloc(4);
        if (!p) break;
        if (bad) free(p);
        p = realloc(p, 8); //~ double_free
        free(p);
        break;
    }
    //# 7.22.3.4 | The value of an object of malloc is used that was never set
    case 18: {
        int *p = bad ? malloc(4) : calloc(1, 4);
        if (p) sink = *p; //~ uninitialized
        free(p);
        break;
    }
    //# 7.22.3.5 | The bytes are used that realloc has added
    case 19: {
        char *p = calloc(1, 4);
        if (!p) break;
        char *q = realloc(p, 8);
        if (q) sink = q[bad ? 6 : 2]; //~ uninitialized
        free(q);
        break;
    }
    //# 7.22.4.4 | exit is called in a function of atexit | found: in exits
    case 20: atexit(bad ? exits : wait_for_nothing); exit(0); break;
    //# 7.22.4.6 | The string of getenv is written to | not: it is memory of the process that may be written
    case 21: {
        char *p = getenv("PATH");
        if (p && bad) *p = *p;
        break;
    }
    //# 7.24.6.2 | The string of strerror is written to
    case 22: {
        char *p = strerror(EINVAL);
        if (bad) *p = 'x'; //~ readonly
        break;
    }
    //# 7.11.1.1 | The string of setlocale is written to
    case 23: {
        char *p = setlocale(LC_CTYPE, NULL);
        if (p && bad) *p = 'x'; //~ readonly
        break;
    }
    //# 7.11.2.1 | The structure of localeconv is written to
    case 24: {
        struct lconv *l = localeconv();
        if (bad) l->frac_digits = 1; //~ readonly
        break;
    }
    //# 7.22.4.8 | A command of system ends the run | not: no command is run
    //# 7.22.5 | qsort is given an invalid pointer | found: in by_value
    case 25: qsort(bad ? none : sorted, 4, sizeof(int), by_value); break;
    //# 7.22.5 | qsort is given more elements than the array has | found: in by_value
    case 26: {
        int small[2] = {2, 1};
        qsort(bad ? small : sorted, 4, sizeof(int), by_value);
        break;
    }
    //# 7.22.5 | bsearch is given an invalid pointer | found: in by_value
    case 27: {
        int key = 2;
        sink = bsearch(&key, bad ? none : sorted, 4, sizeof(int), by_value) != NULL;
        break;
    }
    //# 7.22.5 | The comparison of qsort is no order | not: the results are any order of the elements, and an access out of the array is found
    case 28: qsort(sorted, 4, sizeof(int), bad ? always_less : by_value); break;
    //# 7.22.5 | The comparison of qsort changes the elements | not: the same
    case 29: qsort(sorted, 4, sizeof(int), bad ? changes : by_value); break;
    //# 7.22.5.1 | bsearch is given an array that is not sorted | not: the result is a match or null, and no access is out of bounds
    case 30: {
        static int unsorted[4] = {4, 1, 3, 2};
        int key = 4;
        sink = bsearch(&key, bad ? unsorted : sorted, 4, sizeof(int), by_value) != NULL;
        break;
    }
    //# 7.22.6.1 | abs of INT_MIN
    case 31: sink = abs(bad ? INT_MIN : -1); break; //~ overflow
    //# 7.22.6.1 | labs and llabs of the lowest number
    case 32: sink = (int)labs(bad ? LONG_MIN : -1); break; //~ overflow
    //# 7.22.6.2 | div by zero
    case 33: sink = div(1, !bad).quot; break; //~ div_zero
    //# 7.22.6.2 | The quotient of div does not fit
    case 34: sink = div(INT_MIN, bad ? -1 : 1).quot; break; //~ overflow
    //# 7.8.2.1 | imaxabs of the lowest number
    case 35: sink = (int)imaxabs(bad ? INTMAX_MIN : -1); break; //~ overflow
    //# 7.8.2.2 | imaxdiv by zero
    case 36: sink = (int)imaxdiv(1, !bad).quot; break; //~ div_zero
    //# 7.22.1 | atoi of a number that does not fit | not: libc's own arithmetic wraps around; the result is a number, with glibc another one
    case 37: sink = atoi(bad ? "99999999999" : "9"); break;
    //# 7.24.1 | A string function reads behind the end of an object without NUL
    case 38: {
        char whole[4] = {'a', 'b', 'c', bad ? 'd' : 0};
        sink = (int)strlen(whole); //~ out_of_bounds
        break;
    }
    //# 7.24.2.1 | memcpy has a size larger than its source
    case 39: {
        char small[4] = "abc";
        memcpy(text, small, bad ? 8 : 4); //~ out_of_bounds
        break;
    }
    //# 7.24.2.1 | memcpy has a size larger than its destination
    case 40: {
        char small[4];
        memcpy(small, text, bad ? 8 : 4); //~ out_of_bounds
        break;
    }
    //# 7.24.6.1 | memset has a size larger than its object
    case 41: memset(text, 0, bad ? 17 : 16); break; //~ out_of_bounds
    //# 7.24.4.1 | memcmp has a size larger than its object
    case 42: sink = memcmp(text, "abc", bad ? 6 : 4); break; //~ out_of_bounds
    //# 7.24.2.3 | strcpy to an array that is too small
    case 43: {
        char small[4];
        strcpy(small, bad ? text : "abc"); //~ out_of_bounds
        break;
    }
    //# 7.24.3.1 | strcat to an array that is too small
    case 44: {
        char small[6] = "abc";
        strcat(small, bad ? "def" : "d"); //~ out_of_bounds
        break;
    }
    //# 7.24.1 | A string function is given an invalid pointer with a length of zero | not: every implementation takes it, and C2y allows it
    case 45: memcpy(text, bad ? (char *)none : text + 8, 0); break;
    //# 7.24.4.5 | The array of strxfrm is used where it was too small
    case 46: {
        char small[4];
        if (strxfrm(small, bad ? text : "abc", 4) < 8 + 4 * (size_t)bad) sink = small[0]; //~ uninitialized
        break;
    }
    //# 7.24.5.8 | The first call of strtok has a null pointer | not: it returns null (musl and glibc define it)
    case 47: {
        char *p = strtok(bad ? NULL : text, "c");
        sink = p != NULL;
        break;
    }
    //# 7.24.5.8 | strtok of a string literal
    case 48: {
        char *p = strtok(bad ? (char *)"a b" : text, " d"); //~ readonly
        sink = p != NULL;
        break;
    }
    //# 7.27.3.1 | asctime of a time that is out of range
    case 49: {
        struct tm t = {.tm_mday = 1};
        if (bad) t.tm_year = INT_MAX - 1900;
        sink = *asctime(&t); //~ abort
        break;
    }
    //# 7.27.3.1 | asctime of a day or month that does not exist | not: musl prints ???, glibc does, too
    case 50: {
        struct tm t = {.tm_mday = 1};
        if (bad) t.tm_mon = 12;
        sink = *asctime(&t);
        break;
    }
    //# 7.27.3.5 | The array of strftime is used where it was too small
    case 51: {
        char small[4];
        struct tm t = {.tm_mday = 1};
        strftime(small, bad ? 2 : 4, "%d", &t);
        sink = small[2]; //~ uninitialized
        break;
    }
    //# 7.27.3.5 | strftime reads members that nothing has set
    case 52: {
        struct tm t;
        if (!bad) memset(&t, 0, sizeof t);
        sink = (int)strftime(text, sizeof text, "%H", &t); //~ uninitialized
        break;
    }
    //# 7.22.5 | A function is called through a null pointer
    case 53: qsort(sorted, 4, sizeof(int), bad ? NULL : by_value); break; //~ null
    //# 7.27.3.4 | The structure of localtime is null, and used
    case 54: {
        time_t t = bad ? (time_t)LLONG_MAX : 0;
        struct tm *l = gmtime(&t);
        sink = l->tm_year; //~ null
        break;
    }
    //# 7.24.5.1 | memchr has a size larger than its object, and the byte is not there
    case 55: sink = memchr(text, 'z', bad ? 20 : 16) != NULL; break; //~ out_of_bounds
    //# 7.24.4.4 | strncmp reads behind the end of an object
    case 56: {
        char small[3] = {'a', 'b', 'c'};
        sink = strncmp(small, text, bad ? 4 : 3); //~ out_of_bounds
        break;
    }
    //# 7.22.1.4 | strtol writes the end to an invalid pointer
    case 57: {
        static char *const constant = NULL;
        char *end;
        sink = (int)strtol("1", bad ? (char **)&constant : &end, 10); //~ readonly
        break;
    }
    //# 7.22.3.2 | The number of bytes of calloc is used that its product does not have | not: calloc returns null
    //# 7.24.1 | A string function reads an array that nothing has set
    case 58: {
        char fresh[4];
        if (!bad) strcpy(fresh, "abc");
        sink = (int)strlen(fresh); //~ uninitialized
        break;
    }
    //# 7.24.2.2 | memmove has a size larger than its object
    case 59: memmove(text, text + 1, bad ? 16 : 15); break; //~ out_of_bounds
    //# 7.22.4.7 | quick_exit is called in a function of at_quick_exit | found: in quickly
    case 60: at_quick_exit(bad ? quickly : wait_for_nothing); quick_exit(0); break;
    //# 7.22.4.6 | getenv is given a null pointer
    case 61: sink = getenv(bad ? (char *)none : "PATH") != NULL; break; //~ null
    }
    return 0;
}
