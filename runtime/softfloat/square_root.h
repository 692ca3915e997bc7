/* Square roots digit by digit: two bits of the radicand a step; no root lies half-way between two floats. */

INLINE FLOAT NAME(sqrt)(struct environment *env, FLOAT a)
{
    if (NAME(is_special)(a)) {
        if (NAME(any_nan)(a, a))
            return NAME(nan_of)(env, a, a);
        return NAME(sign)(a) ? NAME(invalid)(env) : a;
    }
    if (NAME(is_zero)(a))
        return a;
    if (NAME(sign)(a))
        return NAME(invalid)(env);
    PARTS x = NAME(normalised)(NAME(unpack)(a));
    int exponent = x.exponent - BIAS;
    /* Two bits before the point: 1 to 4. */
    SIG radicand = NAME(widen)(x.man);
    radicand = exponent & 1 ? radicand << 1 : radicand;
    SIG root = 0, rest = 0;
    for (int i = 0; i < PRECISION + 2; i++) {
        rest = rest << 2 | radicand >> (SIG_BITS - 2);
        radicand <<= 2;
        SIG trial = root << 2 | 1;
        int fits = rest >= trial;
        rest = fits ? rest - trial : rest;
        root = root << 1 | (SIG)fits;
    }
    SIG sig = root << (TOP - PRECISION - 1) | (rest != 0);
    return NAME(round_pack)(env, 0, (exponent >> 1) + BIAS, sig);
}
