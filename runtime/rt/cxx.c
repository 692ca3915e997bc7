/* The little that C++ needs from a run time beside `new.c` where the C++ library is not linked. */
#include <stdio.h>
#include <stdlib.h>

void __polypath_no_memory(void)
{
    fputs("out of memory: operator new (without the C++ library)\n", stderr);
    abort();
}

void *__polypath_nothrow(void *(*operator_new)(size_t), size_t size) { return operator_new(size); }
void *__polypath_nothrow_aligned(void *(*operator_new)(size_t, size_t), size_t size, size_t alignment)
{
    return operator_new(size, alignment);
}

_Noreturn void __cxa_pure_virtual(void)
{
    fputs("pure virtual function called\n", stderr);
    abort();
}

_Noreturn void __cxa_deleted_virtual(void)
{
    fputs("deleted virtual function called\n", stderr);
    abort();
}

/* std::terminate */
_Noreturn void _ZSt9terminatev(void)
{
    fputs("terminate called\n", stderr);
    abort();
}

/* Guards of function-local statics: byte 0 done, byte 1 under way. */
int __cxa_guard_acquire(char *guard)
{
    if (guard[0]) return 0;
    if (guard[1]) {
        fputs("recursive initialisation of a static variable\n", stderr);
        abort();
    }
    return guard[1] = 1;
}
void __cxa_guard_release(char *guard) { guard[0] = 1, guard[1] = 0; }
void __cxa_guard_abort(char *guard) { guard[1] = 0; }
