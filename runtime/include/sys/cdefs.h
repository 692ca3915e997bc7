/* What programs take from glibc's and the BSDs' header of this name. musl has none and needs none. */
#ifndef _SYS_CDEFS_H
#define _SYS_CDEFS_H

#include <features.h>

/* Of <features.h>, which has it there. */
#define __GNUC_PREREQ(major, minor) ((__GNUC__ << 16) + __GNUC_MINOR__ >= ((major) << 16) + (minor))
#ifndef __WORDSIZE
#define __WORDSIZE 64
#endif

#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#else
#define __BEGIN_DECLS
#define __END_DECLS
#endif

#undef __P
#undef __PMT
#define __P(arguments) arguments
#define __PMT(arguments) arguments
#define __CONCAT(x, y) x##y
#define __STRING(x) #x
#define __ptr_t void *

#ifdef __cplusplus
#define __THROW throw()
#define __NTH(function) function throw()
#else
#define __THROW __attribute__((__nothrow__))
#define __NTH(function) __attribute__((__nothrow__)) function
#endif
#define __THROWNL __THROW
#define __NTHNL(function) __NTH(function)
#define __LEAF
#define __LEAF_ATTR

#define __always_inline __inline __attribute__((__always_inline__))
#define __attribute_aligned__(size) __attribute__((__aligned__(size)))
#define __attribute_alloc_size__(params) __attribute__((__alloc_size__ params))
#define __attribute_artificial__ __attribute__((__artificial__))
#define __attribute_const__ __attribute__((__const__))
#define __attribute_deprecated__ __attribute__((__deprecated__))
#define __attribute_deprecated_msg__(text) __attribute__((__deprecated__(text)))
#define __attribute_format_arg__(x) __attribute__((__format_arg__(x)))
#define __attribute_format_strfmon__(a, b) __attribute__((__format__(__strfmon__, a, b)))
#define __attribute_malloc__ __attribute__((__malloc__))
#define __attribute_maybe_unused__ __attribute__((__unused__))
#define __attribute_noinline__ __attribute__((__noinline__))
#define __attribute_pure__ __attribute__((__pure__))
#define __attribute_used__ __attribute__((__used__))
#define __attribute_warn_unused_result__ __attribute__((__warn_unused_result__))
#define __returns_nonnull __attribute__((__returns_nonnull__))
#define __nonnull(params) __attribute__((__nonnull__ params))
#define __attribute_alloc_align__(params) __attribute__((__alloc_align__ params))
#define __attribute_copy__(arg)
#define __attribute_nonnull__(params) __attribute__((__nonnull__ params))
#define __attribute_nonstring__
#define __attribute_returns_twice__ __attribute__((__returns_twice__))
#define __attr_access(x)
#define __attr_access_none(argno)
#define __attr_dealloc(dealloc, argno)
#define __attr_dealloc_free
#define __fortified_attr_access(a, o, s)
#define __errordecl(name, msg) extern void name(void)
#define __warnattr(msg) __attribute__((__warning__(msg)))
#define __wur
#define __restrict_arr __restrict
#define __extern_inline extern __inline __attribute__((__gnu_inline__))
#define __extern_always_inline extern __always_inline __attribute__((__gnu_inline__))
#define __bos(ptr) __builtin_object_size(ptr, 1)
#define __bos0(ptr) __builtin_object_size(ptr, 0)
#define __glibc_objsize0(ptr) __bos0(ptr)
#define __glibc_objsize(ptr) __bos(ptr)
#define __glibc_has_attribute(attr) __has_attribute(attr)
#define __glibc_has_builtin(name) __has_builtin(name)
#define __glibc_has_extension(ext) __has_extension(ext)
#define __glibc_macro_warning(message)
#define __flexarr []
#define __glibc_c99_flexarr_available 1
#define __glibc_likely(cond) __builtin_expect((cond), 1)
#define __glibc_unlikely(cond) __builtin_expect((cond), 0)

#endif
