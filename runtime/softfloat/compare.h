/* Order, in straight lines: no branch, one bit. */

#ifdef EXPLICIT_ONE
INLINE int NAME(magnitude_less)(FLOAT a, FLOAT b)
{
    PARTS x = NAME(unpack)(a), y = NAME(unpack)(b);
    return x.exponent == y.exponent ? x.man < y.man : x.exponent < y.exponent;
}
INLINE int NAME(magnitude_equal)(FLOAT a, FLOAT b)
{
    PARTS x = NAME(unpack)(a), y = NAME(unpack)(b);
    return (x.exponent == y.exponent) & (x.man == y.man);
}
#else
INLINE int NAME(magnitude_less)(FLOAT a, FLOAT b) { return (FLOAT)(a << 1) < (FLOAT)(b << 1); }
INLINE int NAME(magnitude_equal)(FLOAT a, FLOAT b) { return (FLOAT)(a << 1) == (FLOAT)(b << 1); }
#endif

INLINE int NAME(unordered)(FLOAT a, FLOAT b) { return NAME(any_nan)(a, b); }

/* Of operands that are ordered. */
INLINE int NAME(equal_ordered)(FLOAT a, FLOAT b)
{
    int zeros = NAME(is_zero)(a) & NAME(is_zero)(b);
    return (NAME(magnitude_equal)(a, b) & (NAME(sign)(a) == NAME(sign)(b))) | zeros;
}
INLINE int NAME(less_ordered)(FLOAT a, FLOAT b)
{
    int zeros = NAME(is_zero)(a) & NAME(is_zero)(b);
    int negative = NAME(sign)(a), other = NAME(sign)(b);
    int both = negative ? NAME(magnitude_less)(b, a) : NAME(magnitude_less)(a, b);
    return (negative == other ? both : negative) & !zeros;
}

/* Quiet comparisons complain of signalling NaNs only. */
INLINE void NAME(complain)(struct environment *env, FLOAT a, FLOAT b, int quiet)
{
    int loud = NAME(is_signalling)(a) | NAME(is_signalling)(b);
    int unsupported = NAME(is_unsupported)(a) | NAME(is_unsupported)(b);
    int bad = loud | unsupported | (quiet ? 0 : NAME(unordered)(a, b));
    env->flags |= bad ? INVALID : 0;
}
INLINE int NAME(eq)(struct environment *env, FLOAT a, FLOAT b)
{
    NAME(complain)(env, a, b, 1);
    return NAME(equal_ordered)(a, b) & !NAME(unordered)(a, b);
}
INLINE int NAME(lt)(struct environment *env, FLOAT a, FLOAT b)
{
    NAME(complain)(env, a, b, 0);
    return NAME(less_ordered)(a, b) & !NAME(unordered)(a, b);
}
INLINE int NAME(le)(struct environment *env, FLOAT a, FLOAT b)
{
    NAME(complain)(env, a, b, 0);
    return (NAME(less_ordered)(a, b) | NAME(equal_ordered)(a, b)) & !NAME(unordered)(a, b);
}

/* llvm.minnum and llvm.maxnum as x86 has them: the operand that is a number. Of equal zeros the first; where the
 * compiler calls fminl and fmaxl, -0 is below +0. */
INLINE FLOAT NAME(pick)(int first, FLOAT a, FLOAT b)
{
#ifdef EXPLICIT_ONE
    FLOAT r;
    r.significand = first ? a.significand : b.significand;
    r.sign_exponent = first ? a.sign_exponent : b.sign_exponent;
    return r;
#else
    return first ? a : b;
#endif
}
INLINE int NAME(zero_below)(FLOAT a, FLOAT b)
{
#ifdef EXPLICIT_ONE
    return NAME(is_zero)(a) & NAME(is_zero)(b) & (NAME(sign)(a) > NAME(sign)(b));
#else
    (void)a, (void)b;
    return 0;
#endif
}
INLINE FLOAT NAME(min)(FLOAT a, FLOAT b)
{
    int less = NAME(less_ordered)(b, a) | NAME(zero_below)(b, a);
    int second = NAME(unordered)(a, a) | (less & !NAME(unordered)(b, b));
    return NAME(pick)(!second, a, b);
}
INLINE FLOAT NAME(max)(FLOAT a, FLOAT b)
{
    int less = NAME(less_ordered)(a, b) | NAME(zero_below)(a, b);
    int second = NAME(unordered)(a, a) | (less & !NAME(unordered)(b, b));
    return NAME(pick)(!second, a, b);
}
