/* Character tables and functions by glibc's names. */
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>

extern const unsigned short **__ctype_b_loc(void);

#undef isctype
__attribute__((weak)) int isctype(int c, int mask) { return (*__ctype_b_loc())[c] & mask; }
int __isctype(int c, int mask) { return isctype(c, mask); }
int __isascii_l(int c, locale_t locale) { return isascii(c); }
int __toascii_l(int c, locale_t locale) { return toascii(c); }
