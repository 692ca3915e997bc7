/* The little that C++ without exceptions and without a standard library needs from a run time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("hidden"))) void *__dso_handle;

static void *allocate(size_t size, size_t alignment)
{
    if (!size) size = 1;
    void *p = alignment <= 16 ? malloc(size) : aligned_alloc(alignment, (size + alignment - 1) & -alignment);
    if (!p) {
        fputs("out of memory: operator new (exceptions are not supported)\n", stderr);
        abort();
    }
    return p;
}

/* operator new, new[], with alignment, and the nothrow ones */
void *_Znwm(size_t n) { return allocate(n, 1); }
void *_Znam(size_t n) { return allocate(n, 1); }
void *_ZnwmSt11align_val_t(size_t n, size_t a) { return allocate(n, a); }
void *_ZnamSt11align_val_t(size_t n, size_t a) { return allocate(n, a); }
void *_ZnwmRKSt9nothrow_t(size_t n, const void *tag) { return malloc(n ? n : 1); }
void *_ZnamRKSt9nothrow_t(size_t n, const void *tag) { return malloc(n ? n : 1); }

/* operator delete, delete[], sized, with alignment, and the nothrow ones */
void _ZdlPv(void *p) { free(p); }
void _ZdaPv(void *p) { free(p); }
void _ZdlPvm(void *p, size_t n) { free(p); }
void _ZdaPvm(void *p, size_t n) { free(p); }
void _ZdlPvSt11align_val_t(void *p, size_t a) { free(p); }
void _ZdaPvSt11align_val_t(void *p, size_t a) { free(p); }
void _ZdlPvmSt11align_val_t(void *p, size_t n, size_t a) { free(p); }
void _ZdaPvmSt11align_val_t(void *p, size_t n, size_t a) { free(p); }
void _ZdlPvRKSt9nothrow_t(void *p, const void *tag) { free(p); }
void _ZdaPvRKSt9nothrow_t(void *p, const void *tag) { free(p); }

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
