// run: --check memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,pedantic,overflow,bounds,uninit,function-type,memcmp,fp-cast,fp-overflow
/* C11 Annex J.2, 7.21.6 and 7.16: formats and variable arguments. How the rows are written: crates/cli/tests/undefined.rs. */
#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wvarargs"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include <limits.h>
#include "klee/klee.h"

static volatile int sink;
static char out[64];

static int sum(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int all = 0;
    while (n--) all += va_arg(ap, int); //~ out_of_bounds
    va_end(ap);
    return all;
}
static double first_double(int n, ...) {
    va_list ap;
    va_start(ap, n);
    double d = va_arg(ap, double); //~ out_of_bounds
    va_end(ap);
    return d;
}
static long first_long(int n, ...) {
    va_list ap;
    va_start(ap, n);
    long d = va_arg(ap, long); //~ out_of_bounds
    va_end(ap);
    return d;
}
static int before_start(int bad, ...) {
    va_list ap;
    if (!bad) va_start(ap, bad);
    int x = va_arg(ap, int); //~ uninitialized
    va_end(ap);
    return x;
}
static int after_end(int bad, ...) {
    va_list ap;
    va_start(ap, bad);
    if (bad) va_end(ap);
    int x = va_arg(ap, int);
    if (!bad) va_end(ap);
    return x;
}
static va_list kept;
static void keep(int n, ...) { va_start(kept, n); }
static int uses_twice(int bad, ...) {
    va_list ap;
    va_start(ap, bad);
    vsnprintf(out, sizeof out, "%d", ap);
    if (bad) vsnprintf(out, sizeof out, "%d", ap); //~ out_of_bounds
    va_end(ap);
    return 0;
}
static int starts_twice(int bad, ...) {
    va_list ap;
    va_start(ap, bad);
    if (!bad) va_end(ap);
    va_start(ap, bad);
    va_end(ap);
    return 0;
}
static int never_ends(int n, ...) {
    va_list ap;
    va_start(ap, n);
    return va_arg(ap, int);
}
static void badly_started(int bad, ...) {
    va_list ap;
    if (!bad) va_start(ap, bad);
    vsnprintf(out, sizeof out, "%d", ap); //~ uninitialized
}

int main(void) {
    int row = klee_range(0, 60, "row");
    int bad = klee_range(0, 2, "bad");
    switch (row) {
    //# 7.16.1.1 | va_arg where no argument is left | found: in sum
    case 1: sink = sum(bad ? 2 : 1, 1); break;
    //# 7.16.1.1 | va_arg of another class than the argument has (floating or not) | found: in first_double
    case 2: sink = (int)(bad ? first_double(1, 1) : first_double(1, 1.0)); break;
    //# 7.16.1.1 | va_arg of a wider type than the argument has | found: in first_long
    case 3: sink = (int)(bad ? first_long(1, 1) : first_long(1, 1L)); break;
    //# 7.16 | A va_list is used before va_start | found: in before_start
    case 4: sink = before_start(bad, 1); break;
    //# 7.16 | A va_list is used after va_end | not: va_end does nothing on x86-64, so the argument is read
    case 5: sink = after_end(bad, 1); break;
    //# 7.16 | A va_list is used after the function whose arguments it has returned
    case 6: {
        keep(1, 1);
        if (bad) sink = va_arg(kept, int); //~ use_after_free
        break;
    }
    //# 7.16 | A va_list is used that another function has advanced | found: in uses_twice
    case 7: uses_twice(bad, 1); break;
    //# 7.16.1.4 | va_start of a va_list that is in use | not: va_end does nothing on x86-64, so nothing differs
    case 8: starts_twice(bad, 1); break;
    //# 7.16.1.3 | va_start without va_end | not: va_end does nothing on x86-64
    case 9: never_ends(1, 1); break;
    //# 7.21.6.8 | vfprintf and its like are given a va_list that was not started | found: in badly_started
    case 10: badly_started(bad, 1); break;
    //# 7.21.6.1 | printf has fewer arguments than its format wants
    case 11: bad ? snprintf(out, 64, "%d %d", 1) : snprintf(out, 64, "%d %d", 1, 2); break; //~ out_of_bounds
    //# 7.21.6.1 | printf has a number where its format has %s
    case 12: bad ? snprintf(out, 64, "%s", 1) : snprintf(out, 64, "%s", "x"); break; //~ misuse
    //# 7.21.6.1 | printf has an int where its format has %f
    case 13: bad ? snprintf(out, 64, "%f", 1) : snprintf(out, 64, "%f", 1.0); break; //~ misuse
    //# 7.21.6.1 | printf has a double where its format has %d
    case 14: bad ? snprintf(out, 64, "%d", 1.0) : snprintf(out, 64, "%d", 1); break; //~ misuse
    //# 7.21.6.1 | printf has an int where its format has %ld
    case 15: bad ? snprintf(out, 64, "%ld", 1) : snprintf(out, 64, "%ld", 1L); break; //~ misuse
    //# 7.21.6.1 | printf has a double where its format has %Lf
    case 16: bad ? snprintf(out, 64, "%Lf", 1.0) : snprintf(out, 64, "%Lf", 1.0L); break; //~ misuse
    //# 7.21.6.2 | scanf has fewer arguments than its format wants
    case 17: {
        int x;
        int y;
        bad ? sscanf("1 2", "%d %d", &x) : sscanf("1 2", "%d %d", &x, &y); //~ out_of_bounds
        break;
    }
    //# 7.21.6.1 | The format is no valid multibyte string | not: in the C locale every byte is one
    //# 7.21.6.1 | A precision for a conversion that has none
    case 18: snprintf(out, 64, bad ? "%.3c" : "%.3d", 'x'); break; //~ misuse
    //# 7.21.6.1 | An asterisk without its argument
    case 19: bad ? snprintf(out, 64, "%*d", 1) : snprintf(out, 64, "%*d", 4, 1); break; //~ out_of_bounds
    //# 7.21.6.1 | The flag # or 0 for a conversion that has none
    case 20: snprintf(out, 64, bad ? "%#d" : "%#x", 1); break; //~ misuse
    //# 7.21.6.1 | A length modifier for a conversion that has none
    case 21: bad ? snprintf(out, 64, "%hs", "x") : snprintf(out, 64, "%hd", 1); break; //~ misuse
    //# 7.21.6.1 | %s of an array without a NUL
    case 22: {
        char text[4] = {'a', 'b', 'c', bad ? 'd' : 0};
        snprintf(out, 64, "%s", text); //~ out_of_bounds
        break;
    }
    //# 7.21.6.1 | %n with a flag, a width or a precision
    case 23: {
        int n;
        snprintf(out, 64, bad ? "%5n" : "%n", &n); //~ misuse
        break;
    }
    //# 7.21.6.1 | Something between the two signs of %%
    case 24: snprintf(out, 64, bad ? "%5%" : "%%"); break; //~ misuse
    //# 7.21.6.1 | A conversion that does not exist, in printf
    case 25: snprintf(out, 64, bad ? "%y" : "%d", 1); break; //~ misuse
    //# 7.21.6.2 | A conversion that does not exist, in scanf
    case 26: {
        int x = 0;
        sscanf("1", bad ? "%y" : "%d", &x); //~ misuse
        break;
    }
    //# 7.27.3.5 | A conversion that does not exist, in strftime
    case 27: {
        struct tm t = {0};
        sink = (int)strftime(out, sizeof out, bad ? "%!" : "%Y", &t); //~ misuse
        break;
    }
    //# 7.21.6.1 | More than INT_MAX characters are printed | not: the library returns an error (EOVERFLOW), as POSIX defines it
    //# 7.21.6.2 | More than INT_MAX items are read | not: no call has so many arguments
    //# 7.21.6.2 | A number that scanf reads does not fit its object | not: musl stores what is left of it; glibc the largest number
    case 28: {
        int x = 0;
        sscanf(bad ? "99999999999999999999" : "1", "%d", &x);
        break;
    }
    //# 7.21.6.2 | scanf stores to an object that is too small
    case 29: {
        int x = 0;
        long y;
        sscanf("1", "%ld", bad ? (long *)&x : &y); //~ out_of_bounds
        break;
    }
    //# 7.21.6.2 | scanf stores to an object that is too large, which stays unset in part
    case 30: {
        long x;
        long y;
        bad ? sscanf("1", "%d", (int *)&x) : sscanf("1", "%ld", &x);
        y = x; //~ uninitialized
        sink = (int)y;
        break;
    }
    //# 7.21.6.2 | The array for %s, %c or %[ is too small
    case 31: {
        char word[4];
        sscanf(bad ? "abcd" : "abc", "%s", word); //~ out_of_bounds
        break;
    }
    //# 7.21.6.2 | The array for %c is too small
    case 32: {
        char word[4];
        sscanf("abcdef", bad ? "%6c" : "%4c", word); //~ out_of_bounds
        break;
    }
    //# 7.21.6.2 | The input for %ls is no valid multibyte string | not: the call fails with EILSEQ, as POSIX defines it
    //# 7.21.6.2 | %p reads what no %p of this run printed | not: only an access through it does harm, which is found
    //# 7.21.6.6 | sprintf writes more than its array holds
    case 33: {
        char word[4];
        sprintf(word, "%s", bad ? "abcd" : "abc"); //~ out_of_bounds
        break;
    }
    //# 7.21.6.5 | snprintf has a size larger than its array
    case 34: {
        char word[4];
        snprintf(word, 8, "%s", bad ? "abcd" : "abc"); //~ out_of_bounds
        break;
    }
    //# 7.21.6.6 | sprintf reads the array that it writes
    case 35: {
        char word[16] = "abc";
        sprintf(word, "%s!", bad ? word : "abc"); //~ overlap
        break;
    }
    //# 7.21.6.1 | %s is given a null pointer
    case 36: {
        char *volatile text = bad ? NULL : "x";
        snprintf(out, 64, "%s", text); //~ misuse
        break;
    }
    //# 7.21.6.1 | printf has a wide character string where its format has %s | not: the types of pointers are not known when the program runs
    case 37: bad ? snprintf(out, 64, "%s", (char *)L"x") : snprintf(out, 64, "%ls", L"x"); break;
    //# 7.21.6.1 | %s is given a pointer that is freed
    case 38: {
        char *text = malloc(2);
        if (!text) break;
        strcpy(text, "x");
        if (bad) free(text);
        snprintf(out, 64, "%s", text); //~ use_after_free
        if (!bad) free(text);
        break;
    }
    //# 7.21.6.1 | %n is given a pointer to a constant
    case 39: {
        static const int constant = 1;
        static int n;
        snprintf(out, 64, "%n", bad ? (int *)&constant : &n); //~ readonly
        break;
    }
    //# 7.21.6.1 | printf has a structure where its format has a number
    case 40: {
        struct large {
            long words[4];
        } s = {{1, 2, 3, 4}};
        bad ? snprintf(out, 64, "%d", s) : snprintf(out, 64, "%d", 1); //~ misuse
        break;
    }
    }
    return 0;
}
