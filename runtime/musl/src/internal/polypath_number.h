/* Conversions between text and numbers as operations of the engine (--conversions call).

   libc's code decides the shape of a text, as it always does: which characters are digits, where the point is, how long a number is.
   What such a shape means is one operation. Where there is none (a native run, --conversions code, another rounding mode than to
   nearest, a path that simulates floats) musl's own code computes it. */
#ifndef POLYPATH_NUMBER_H
#define POLYPATH_NUMBER_H

#include <stddef.h>

/* Are there operations here, and does one of these bytes depend on input (if there are some)? What does not is computed by musl's code. */
int __polypath_numbers(const void *bytes, size_t n);

/* Stores m * 10^e, rounded to a significand of `bits` bits and negated if asked, as a long double in *y, and returns 1; or returns 0
   where there is no such operation. m has at most `digits` decimal digits, and e lies between `low` and `high`. */
int __polypath_decimal(unsigned long long m, int digits, long long e, int low, int high, int bits, int negative, long double *y);

/* Stores 10^k, rounded. */
void __polypath_power(int k, long double *ten);

/* Stores *y * 10^k, rounded to an integer, which has at most `digits` decimal digits, in *n, and returns 1; or returns 0 where there is no
   such operation. */
int __polypath_digits(const long double *y, int k, int digits, unsigned long *n);

#endif
