// run: --check memory,assert,div,shift,builtin,align,overlap,scope,varargs,libc,pedantic,overflow,bounds,uninit,function-type,memcmp,fp-cast,fp-overflow
/* C11 Annex J.2, 7.4, 7.6, 7.12, 7.29, 7.30: characters, floats, wide characters. How the rows are written: crates/cli/tests/undefined.rs. */
#include <ctype.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>
#include "klee/klee.h"

static volatile int sink;

int main(void) {
    int row = klee_range(0, 40, "row");
    int bad = klee_range(0, 2, "bad");
    wchar_t wide[8] = L"abcdefg";
    switch (row) {
    //# 7.4 | A function of characters is given a number that no unsigned char has
    case 1: sink = isalnum(bad ? 1000 : 'a'); break; //~ misuse
    //# 7.4 | A function of characters is given a negative number below EOF
    case 2: sink = ispunct(bad ? -200 : '.'); break; //~ misuse
    //# 7.4 | A function of characters that is a macro of musl's ctype.h (isalpha, isdigit, isspace, …) is given such a number | native: the macro computes with it; glibc reads a table
    case 30: sink = isalpha(bad ? 1000 : 'a'); break;
    //# 7.4.2 | toupper or tolower is given a number that no unsigned char has
    case 3: sink = toupper(bad ? 1000 : 'a'); break; //~ misuse
    //# 7.6.2 | An exception mask has bits that are no exceptions | not: the functions leave such bits out
    case 4: sink = fetestexcept(bad ? 1 << 20 : FE_INEXACT); break;
    //# 7.6.2.4 | fesetexceptflag of flags that fegetexceptflag did not store
    case 5: {
        fexcept_t flags;
        if (!bad) fegetexceptflag(&flags, FE_ALL_EXCEPT);
        sink = fesetexceptflag(&flags, FE_ALL_EXCEPT); //~ uninitialized
        break;
    }
    //# 7.6.4.3 | fesetenv of an environment that was not stored
    case 6: {
        fenv_t env;
        if (!bad) fegetenv(&env);
        sink = fesetenv(&env); //~ uninitialized
        break;
    }
    //# 7.12 | A result of lrint or lround does not fit | not: it is what the processor makes of it, as musl and glibc have it
    case 7: {
        volatile double d = bad ? 1e30 : 1.0;
        sink = (int)lround(d);
        break;
    }
    //# 7.29.2.1 | A wide format function has fewer arguments than its format wants
    case 8: bad ? swprintf(wide, 8, L"%d %d", 1) : swprintf(wide, 8, L"%d %d", 1, 2); break; //~ out_of_bounds
    //# 7.29.2.1 | A wide format function has an argument of another class
    case 9: bad ? swprintf(wide, 8, L"%d", 1.0) : swprintf(wide, 8, L"%d", 1); break; //~ misuse
    //# 7.29.2.2 | A wide scan function has fewer arguments than its format wants
    case 10: {
        int x;
        int y;
        bad ? swscanf(L"1 2", L"%d %d", &x) : swscanf(L"1 2", L"%d %d", &x, &y); //~ out_of_bounds
        break;
    }
    //# 7.29.2.11 | %s of a wide format function is no valid multibyte string | not: the call fails with EILSEQ
    //# 7.29.4 | A wide string function reads behind the end of an object without NUL
    case 11: {
        wchar_t whole[2] = {L'a', bad ? L'b' : 0};
        sink = (int)wcslen(whole); //~ out_of_bounds
        break;
    }
    //# 7.29.4 | A wide string function writes behind the end of an object
    case 12: {
        wchar_t small[4];
        wcscpy(small, bad ? wide : L"abc"); //~ out_of_bounds
        break;
    }
    //# 7.29.4 | wmemcpy between objects that overlap
    case 13: wmemcpy(wide + (bad ? 1 : 3), wide, 3); break; //~ overlap
    //# 7.29.4 | A wide string function is given a null pointer
    case 14: sink = (int)wcslen(bad ? NULL : wide); break; //~ null
    //# 7.29.4.5.7 | The first call of wcstok has a null pointer, and its place was not set
    case 15: {
        wchar_t *place;
        if (!bad) place = wide;
        wchar_t *p = wcstok(NULL, L"c", &place); //~ uninitialized
        sink = p != NULL;
        break;
    }
    //# 7.29.5.1 | The array of wcsftime is used where it was too small
    case 16: {
        wchar_t small[4];
        struct tm t = {.tm_mday = 1};
        wcsftime(small, bad ? 2 : 4, L"%d", &t);
        sink = (int)small[2]; //~ uninitialized
        break;
    }
    //# 7.29.6 | An mbstate_t is used that nothing has set
    case 17: {
        mbstate_t state;
        wchar_t c;
        if (!bad) memset(&state, 0, sizeof state);
        sink = (int)mbrtowc(&c, "a", 1, &state); //~ uninitialized
        break;
    }
    //# 7.29.6.3 | mbrtowc has a size larger than its string
    case 18: {
        mbstate_t state = {0};
        wchar_t c;
        char part[1] = {(char)0xc3};
        setlocale(LC_CTYPE, "C.UTF-8");
        sink = (int)mbrtowc(&c, part, bad ? 2 : 1, &state); //~ out_of_bounds
        break;
    }
    //# 7.22.8.1 | mbstowcs writes behind the end of an array
    case 19: {
        wchar_t small[4];
        sink = (int)mbstowcs(small, "abcdef", bad ? 7 : 4); //~ out_of_bounds
        break;
    }
    //# 7.22.8.2 | wcstombs writes behind the end of an array
    case 20: {
        char small[4];
        sink = (int)wcstombs(small, wide, bad ? 7 : 4); //~ out_of_bounds
        break;
    }
    //# 7.22.7 | A conversion state is used after a change of LC_CTYPE | not: only UTF-8 has states here, and they stay what they are
    //# 7.30.1 | A function of wide characters is given a number that is no wide character | not: it returns 0; no table is read
    case 21: sink = iswalpha(bad ? 0x7fffffff : L'a'); break;
    //# 7.30.2.2.1 | iswctype is given a class of another locale | not: classes are the same in all locales
    case 22: sink = iswctype(L'a', wctype(bad ? "none" : "alpha")); break;
    //# 7.30.3.2.1 | towctrans is given a mapping of another locale | not: mappings are the same in all locales
    case 23: sink = (int)towctrans(L'a', wctrans("toupper")); break;
    //# 7.22.7.3 | wctomb writes behind the end of an array
    case 24: {
        char one[1];
        setlocale(LC_CTYPE, "C.UTF-8");
        sink = wctomb(one, bad ? L'\u00e9' : L'e'); //~ out_of_bounds
        break;
    }
    }
    return 0;
}
