/* SV-COMP's names in a native binary: the same replay of a test, one object a call. Programs define
 * some of these themselves, so each name is a weak definition in an archive member that is taken only when
 * nothing else has it. Programs declare them on their own; there is no header. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <klee/klee.h>

#define WEAK __attribute__((weak))
#define NONDET(name, type, bytes)                                              \
    _Static_assert(sizeof(type) == bytes, #name);                              \
    WEAK type __VERIFIER_nondet_##name(void)                                   \
    {                                                                          \
        type x;                                                                \
        memset(&x, 0, sizeof x);                                               \
        klee_make_symbolic(&x, sizeof x, "nondet_" #name);                     \
        return x;                                                              \
    }
#include "verifier_names.h"

WEAK void __VERIFIER_nondet_memory(void *memory, size_t size)
{
    klee_make_symbolic(memory, size, "nondet_memory");
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
