/* SV-COMP's names in a native binary: the same replay of a test, one object a call. Programs define
 * some of these themselves, so each name is a weak definition in an archive member that is taken only when
 * nothing else has it. Programs declare them on their own; there is no header. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <klee/klee.h>

#define WEAK __attribute__((weak))
#define NONDET(name, type)                                                     \
    WEAK type __VERIFIER_nondet_##name(void)                                   \
    {                                                                          \
        type x;                                                                \
        memset(&x, 0, sizeof x);                                               \
        klee_make_symbolic(&x, sizeof x, "__VERIFIER_nondet_" #name);          \
        return x;                                                              \
    }

NONDET(bool, _Bool)
NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
NONDET(size_t, size_t)
NONDET(float, float)
NONDET(double, double)
NONDET(pointer, void *)
NONDET(u8, unsigned char)
NONDET(u16, unsigned short)
NONDET(u32, unsigned)
NONDET(loff_t, long long)
NONDET(pchar, char *)
NONDET(const_char_pointer, const char *)
NONDET(charp, char *)

WEAK void __VERIFIER_nondet_memory(void *memory, size_t size)
{
    klee_make_symbolic(memory, size, "__VERIFIER_nondet_memory");
}

WEAK void __VERIFIER_assume(int condition) { klee_assume(condition); }

WEAK void __VERIFIER_error(void) { klee_report_error("", 0, "__VERIFIER_error", "assert.err"); }

WEAK void reach_error(void) { klee_report_error("", 0, "reach_error", "assert.err"); }

WEAK void __VERIFIER_assert(int condition)
{
    if (!condition) klee_report_error("", 0, "__VERIFIER_assert", "assert.err");
}

WEAK void __VERIFIER_atomic_begin(void) {}
WEAK void __VERIFIER_atomic_end(void) {}
