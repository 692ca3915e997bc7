/* a * b + c rounded once, where all three are ordinary numbers. Otherwise as musl's functions have it, which
 * compilers call without FMA instructions: fmaf works in binary64 and quiets a NaN; fma gives it back as it is, and adds a
 * zero after rounding, so that an underflowed product loses its sign. Not for x87: its product leaves no
 * room for an addend. */

INLINE FLOAT NAME(fma)(struct environment *env, FLOAT a, FLOAT b, FLOAT c)
{
    int special = NAME(is_special)(a) | NAME(is_special)(b);
    int zero = NAME(is_zero)(a) | NAME(is_zero)(b);
#if FORMAT == 64
    zero |= NAME(is_zero)(c);
#endif
    if (special | zero)
        return NAME(add_sub)(env, NAME(mul)(env, a, b), c, 0);
#if FORMAT == 32
    if (NAME(is_nan)(c))
        return NAME(nan_of)(env, c, c);
    if (NAME(is_zero)(c))
        return NAME(mul)(env, a, b);
#endif
    if (NAME(is_special)(c))
        return c;
    PARTS x = NAME(normalised)(NAME(unpack)(a)), y = NAME(normalised)(NAME(unpack)(b));
    PARTS z = NAME(normalised)(NAME(unpack)(c));
    unsigned sign = x.sign ^ y.sign;
    int exponent = x.exponent + y.exponent - BIAS;
    /* Both leading ones at the second highest bit. */
    WIDE product = (WIDE)x.man * y.man;
    int carry = (int)(product >> (WIDE_BITS - 1));
    product = carry ? product >> 1 | (product & 1) : product;
    exponent += carry;
    WIDE addend = (WIDE)z.man << (WIDE_BITS - 1 - MAN_BITS);
    int swap = exponent == z.exponent ? product < addend : exponent < z.exponent;
    int distance = swap ? z.exponent - exponent : exponent - z.exponent;
    WIDE large = swap ? addend : product;
    WIDE small = shift_right_jam(swap ? product : addend, distance);
    WIDE sum = sign == z.sign ? large + small : large - small;
    if (sum == 0)
        return NAME(zero)(env->rounding == DOWNWARD);
    int shift = normalise(&sum);
    sum |= (WIDE)1 << (WIDE_BITS - 1);
    SIG sig = (SIG)shift_right_jam(sum, WIDE_BITS - SIG_BITS + 1);
    sign = swap ? z.sign : sign;
    exponent = swap ? z.exponent : exponent;
    return NAME(round_pack)(env, sign, exponent + 1 - shift, sig);
}
