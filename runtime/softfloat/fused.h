/* a * b + c rounded once. Not for x87: its product leaves no room for an addend, and no compiler asks for it. */

INLINE FLOAT NAME(fma_special)(struct environment *env, FLOAT a, FLOAT b, FLOAT c)
{
    if (NAME(is_special)(c) & !NAME(is_special)(a) & !NAME(is_special)(b))
        return NAME(is_nan)(c) ? NAME(nan_of)(env, c, c) : c;
    /* The product is zero, infinity or NaN. */
    return NAME(add_sub)(env, NAME(mul)(env, a, b), c, 0);
}

INLINE FLOAT NAME(fma)(struct environment *env, FLOAT a, FLOAT b, FLOAT c)
{
    int special = NAME(is_special)(a) | NAME(is_special)(b) | NAME(is_special)(c);
    if (special | NAME(is_zero)(a) | NAME(is_zero)(b))
        return NAME(fma_special)(env, a, b, c);
    if (NAME(is_zero)(c))
        return NAME(mul)(env, a, b);
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
