/* The operators new and delete. What happens when there is no memory is not said here: without the C++ library the program
 * ends, with it they throw. */
#include <stdint.h>
#include <stdlib.h>

/* The engine and address-checked builds of replay keep how an object was allocated, and compare that with how it is
 * freed; natively these do nothing. A size of 0 is not said; an alignment of 0 is an ordinary one. */
void __polypath_new(void *p, int is_array, size_t alignment);
void __polypath_delete(void *p, int is_array, size_t size, size_t alignment);

/* Returns where it may be worth another try. */
void __polypath_no_memory(void);
/* Calls an operator of the program's own; null if it throws. */
void *__polypath_nothrow(void *(*operator_new)(size_t), size_t size);
void *__polypath_nothrow_aligned(void *(*operator_new)(size_t, size_t), size_t size, size_t alignment);

enum { ONE, ARRAY };

static void *try_allocate(size_t size, int is_array, size_t alignment)
{
    if (!size) size = 1;
    void *p = alignment ? aligned_alloc(alignment, size) : malloc(size);
    if (p) __polypath_new(p, is_array, alignment);
    return p;
}

static void *allocate(size_t size, int is_array, size_t alignment)
{
    void *p = try_allocate(size, is_array, alignment);
    while (!p) {
        __polypath_no_memory();
        p = try_allocate(size, is_array, alignment);
    }
    return p;
}

static void release(void *p, int is_array, size_t size, size_t alignment)
{
    if (!p) return;
    __polypath_delete(p, is_array, size, alignment);
    free(p);
}

/* A program may define each of them itself, and those that it does not define call the ones that it does: new[] calls
 * new, a sized delete one without a size, and so on, as the standard says ([new.delete]). The names in C stand for the
 * definitions here. */
#define DEFAULT(NAME) __attribute__((weak, alias(#NAME)))
typedef const void *nothrow;

static void *operator_new(size_t n) { return allocate(n, ONE, 0); }
void *_Znwm(size_t n) DEFAULT(operator_new);
static void *operator_new_array(size_t n) { return _Znwm == operator_new ? allocate(n, ARRAY, 0) : _Znwm(n); }
void *_Znam(size_t n) DEFAULT(operator_new_array);

static void *operator_new_aligned(size_t n, size_t a) { return allocate(n, ONE, a); }
void *_ZnwmSt11align_val_t(size_t n, size_t a) DEFAULT(operator_new_aligned);
static void *operator_new_array_aligned(size_t n, size_t a)
{
    return _ZnwmSt11align_val_t == operator_new_aligned ? allocate(n, ARRAY, a) : _ZnwmSt11align_val_t(n, a);
}
void *_ZnamSt11align_val_t(size_t n, size_t a) DEFAULT(operator_new_array_aligned);

static void *operator_new_nothrow(size_t n, nothrow tag) { return _Znwm == operator_new ? try_allocate(n, ONE, 0) : __polypath_nothrow(_Znwm, n); }
void *_ZnwmRKSt9nothrow_t(size_t n, nothrow tag) DEFAULT(operator_new_nothrow);
static void *operator_new_array_nothrow(size_t n, nothrow tag)
{
    return _Znam == operator_new_array && _Znwm == operator_new ? try_allocate(n, ARRAY, 0) : __polypath_nothrow(_Znam, n);
}
void *_ZnamRKSt9nothrow_t(size_t n, nothrow tag) DEFAULT(operator_new_array_nothrow);

static void *operator_new_aligned_nothrow(size_t n, size_t a, nothrow tag)
{
    return _ZnwmSt11align_val_t == operator_new_aligned ? try_allocate(n, ONE, a) : __polypath_nothrow_aligned(_ZnwmSt11align_val_t, n, a);
}
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t n, size_t a, nothrow tag) DEFAULT(operator_new_aligned_nothrow);
static void *operator_new_array_aligned_nothrow(size_t n, size_t a, nothrow tag)
{
    int is_default = _ZnamSt11align_val_t == operator_new_array_aligned && _ZnwmSt11align_val_t == operator_new_aligned;
    return is_default ? try_allocate(n, ARRAY, a) : __polypath_nothrow_aligned(_ZnamSt11align_val_t, n, a);
}
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t n, size_t a, nothrow tag) DEFAULT(operator_new_array_aligned_nothrow);

static void operator_delete(void *p) { release(p, ONE, 0, 0); }
void _ZdlPv(void *p) DEFAULT(operator_delete);
static void operator_delete_array(void *p)
{
    if (_ZdlPv == operator_delete) release(p, ARRAY, 0, 0);
    else _ZdlPv(p);
}
void _ZdaPv(void *p) DEFAULT(operator_delete_array);

static void operator_delete_sized(void *p, size_t n)
{
    if (_ZdlPv == operator_delete) release(p, ONE, n, 0);
    else _ZdlPv(p);
}
void _ZdlPvm(void *p, size_t n) DEFAULT(operator_delete_sized);
static void operator_delete_array_sized(void *p, size_t n)
{
    if (_ZdaPv == operator_delete_array && _ZdlPv == operator_delete) release(p, ARRAY, n, 0);
    else _ZdaPv(p);
}
void _ZdaPvm(void *p, size_t n) DEFAULT(operator_delete_array_sized);

static void operator_delete_aligned(void *p, size_t a) { release(p, ONE, 0, a); }
void _ZdlPvSt11align_val_t(void *p, size_t a) DEFAULT(operator_delete_aligned);
static void operator_delete_array_aligned(void *p, size_t a)
{
    if (_ZdlPvSt11align_val_t == operator_delete_aligned) release(p, ARRAY, 0, a);
    else _ZdlPvSt11align_val_t(p, a);
}
void _ZdaPvSt11align_val_t(void *p, size_t a) DEFAULT(operator_delete_array_aligned);

static void operator_delete_sized_aligned(void *p, size_t n, size_t a)
{
    if (_ZdlPvSt11align_val_t == operator_delete_aligned) release(p, ONE, n, a);
    else _ZdlPvSt11align_val_t(p, a);
}
void _ZdlPvmSt11align_val_t(void *p, size_t n, size_t a) DEFAULT(operator_delete_sized_aligned);
static void operator_delete_array_sized_aligned(void *p, size_t n, size_t a)
{
    int is_default = _ZdaPvSt11align_val_t == operator_delete_array_aligned && _ZdlPvSt11align_val_t == operator_delete_aligned;
    if (is_default) release(p, ARRAY, n, a);
    else _ZdaPvSt11align_val_t(p, a);
}
void _ZdaPvmSt11align_val_t(void *p, size_t n, size_t a) DEFAULT(operator_delete_array_sized_aligned);

static void operator_delete_nothrow(void *p, nothrow tag) { _ZdlPv(p); }
void _ZdlPvRKSt9nothrow_t(void *p, nothrow tag) DEFAULT(operator_delete_nothrow);
static void operator_delete_array_nothrow(void *p, nothrow tag) { _ZdaPv(p); }
void _ZdaPvRKSt9nothrow_t(void *p, nothrow tag) DEFAULT(operator_delete_array_nothrow);
static void operator_delete_aligned_nothrow(void *p, size_t a, nothrow tag) { _ZdlPvSt11align_val_t(p, a); }
void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *p, size_t a, nothrow tag) DEFAULT(operator_delete_aligned_nothrow);
static void operator_delete_array_aligned_nothrow(void *p, size_t a, nothrow tag) { _ZdaPvSt11align_val_t(p, a); }
void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *p, size_t a, nothrow tag) DEFAULT(operator_delete_array_aligned_nothrow);
