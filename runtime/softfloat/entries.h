/* The functions of one format by the names that the engine knows (crate ir, soft_float). */

#define ENTRY__(operation, format) __polypath_soft_##operation##format
#define ENTRY_(operation, format) ENTRY__(operation, format)
#define ENTRY(operation) ENTRY_(operation, NAME())
#define UNDER(mode) struct environment env = {mode, 0}

#ifndef SOFT_ENTRY_MACROS
#define SOFT_ENTRY_MACROS
#define BINARY(name, result)                                     \
    FLOAT ENTRY(name)(PARAMETER(x), PARAMETER(y))                \
    {                                                            \
        UNDER(NEAREST_EVEN);                                     \
        FLOAT a = ARGUMENT(x), b = ARGUMENT(y);                  \
        return result;                                           \
    }
#define UNARY(name, mode, result)                                \
    FLOAT ENTRY(name)(PARAMETER(x))                              \
    {                                                            \
        UNDER(mode);                                             \
        FLOAT a = ARGUMENT(x);                                   \
        return result;                                           \
    }
/* A predicate of LLVM's fcmp: o... is false on NaN, u... is true. */
#define PREDICATE(name, result)                                  \
    _Bool ENTRY(name)(PARAMETER(x), PARAMETER(y))                \
    {                                                            \
        FLOAT a = ARGUMENT(x), b = ARGUMENT(y);                  \
        int unordered = NAME(unordered)(a, b);                   \
        int equal = NAME(equal_ordered)(a, b);                   \
        int less = NAME(less_ordered)(a, b);                     \
        int greater = NAME(less_ordered)(b, a);                  \
        (void)equal, (void)less, (void)greater;                  \
        return result;                                           \
    }
#define TO_INTEGER(name, type, result)                           \
    type ENTRY(name)(PARAMETER(x))                               \
    {                                                            \
        UNDER(TOWARD_ZERO);                                      \
        FLOAT a = ARGUMENT(x);                                   \
        return (type)(result);                                   \
    }
#endif

BINARY(add, NAME(add_sub)(&env, a, b, 0))
BINARY(sub, NAME(add_sub)(&env, a, b, 1))
BINARY(mul, NAME(mul)(&env, a, b))
BINARY(div, NAME(div)(&env, a, b))
BINARY(rem, NAME(rem)(&env, a, b))
BINARY(min, ((void)env, NAME(min)(a, b)))
BINARY(max, ((void)env, NAME(max)(a, b)))

UNARY(sqrt, NEAREST_EVEN, NAME(sqrt)(&env, a))
UNARY(floor, DOWNWARD, NAME(round_to_integral)(&env, a))
UNARY(ceil, UPWARD, NAME(round_to_integral)(&env, a))
UNARY(trunc, TOWARD_ZERO, NAME(round_to_integral)(&env, a))
UNARY(roundeven, NEAREST_EVEN, NAME(round_to_integral)(&env, a))
UNARY(round, NEAREST_AWAY, NAME(round_to_integral)(&env, a))

#if FORMAT != 80
FLOAT ENTRY(fma)(PARAMETER(x), PARAMETER(y), PARAMETER(z))
{
    UNDER(NEAREST_EVEN);
    return NAME(fma)(&env, ARGUMENT(x), ARGUMENT(y), ARGUMENT(z));
}
#endif

PREDICATE(oeq, equal & !unordered)
PREDICATE(ogt, greater & !unordered)
PREDICATE(oge, (greater | equal) & !unordered)
PREDICATE(olt, less & !unordered)
PREDICATE(ole, (less | equal) & !unordered)
PREDICATE(one, !equal & !unordered)
PREDICATE(ord, !unordered)
PREDICATE(ueq, equal | unordered)
PREDICATE(ugt, greater | unordered)
PREDICATE(uge, greater | equal | unordered)
PREDICATE(ult, less | unordered)
PREDICATE(ule, less | equal | unordered)
PREDICATE(une, !equal | unordered)
PREDICATE(uno, unordered)

/* Through the width that the processor has a conversion for. */
#if FORMAT == 80
#define SMALLEST 16
#else
#define SMALLEST 32
#endif
TO_INTEGER(to_s8, u8, NAME(to_signed)(&env, a, SMALLEST))
TO_INTEGER(to_u8, u8, NAME(to_signed)(&env, a, SMALLEST))
TO_INTEGER(to_s16, u16, NAME(to_signed)(&env, a, SMALLEST))
TO_INTEGER(to_u16, u16, NAME(to_signed)(&env, a, 32))
TO_INTEGER(to_s32, u32, NAME(to_signed)(&env, a, 32))
TO_INTEGER(to_u32, u32, NAME(to_signed)(&env, a, 64))
TO_INTEGER(to_s64, u64, NAME(to_signed)(&env, a, 64))
TO_INTEGER(to_u64, u64, NAME(to_unsigned)(&env, a))
#undef SMALLEST

/* Narrower integers are extended first. */
FLOAT ENTRY(from_s64)(u64 n)
{
    UNDER(NEAREST_EVEN);
    return NAME(from_signed)(&env, n);
}
FLOAT ENTRY(from_u64)(u64 n)
{
    UNDER(NEAREST_EVEN);
    return NAME(from_unsigned)(&env, n);
}
