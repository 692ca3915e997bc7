/* Sum and difference: align the smaller operand, add or subtract, normalise, round. */

INLINE FLOAT NAME(add_special)(struct environment *env, FLOAT a, FLOAT b, unsigned flip)
{
    if (NAME(any_nan)(a, b))
        return NAME(nan_of)(env, a, b); /* which keeps its sign */
    unsigned sign = NAME(sign)(b) ^ flip;
    if (!NAME(is_special)(a))
        return NAME(infinity)(sign);
    if (NAME(is_special)(b) & (NAME(sign)(a) != sign))
        return NAME(invalid)(env);
    return a;
}

/* a + b, or a - b where `flip` is 1. */
INLINE FLOAT NAME(add_sub)(struct environment *env, FLOAT a, FLOAT b, unsigned flip)
{
    if (NAME(is_special)(a) | NAME(is_special)(b))
        return NAME(add_special)(env, a, b, flip);
    PARTS x = NAME(unpack)(a), y = NAME(unpack)(b);
    y.sign ^= flip;
    int swap = x.exponent == y.exponent ? x.man < y.man : x.exponent < y.exponent;
    unsigned sign = swap ? y.sign : x.sign;
    int exponent = swap ? y.exponent : x.exponent;
    int distance = exponent - (swap ? x.exponent : y.exponent);
    SIG large = NAME(widen)(swap ? y.man : x.man);
    SIG small = shift_right_jam(NAME(widen)(swap ? x.man : y.man), distance);
    SIG sum = x.sign == y.sign ? large + small : large - small;
    if (sum == 0) {
        /* Of two zeros of one sign, or of x - x. */
        unsigned negative = x.sign == y.sign ? x.sign : env->rounding == DOWNWARD;
        return NAME(zero)(negative);
    }
    return NAME(round_pack_any)(env, sign, exponent, sum);
}
