/* C's fmod: exact. The quotient's bits are worked off STEP at a time, so that even the widest gap between
 * exponents takes few rounds; how many is the one thing that branches. */

#if FORMAT == 32
#define REST u64
#define REST_STEP 32
#elif FORMAT == 64
#define REST u64
#define REST_STEP 11
#else
#define REST u128
#define REST_STEP 64
#endif

INLINE FLOAT NAME(rem)(struct environment *env, FLOAT a, FLOAT b)
{
    if (NAME(any_nan)(a, b))
        return NAME(nan_of)(env, a, b);
    if (NAME(is_special)(a) | NAME(is_zero)(b))
        return NAME(invalid)(env);
    if (NAME(is_special)(b) | NAME(is_zero)(a))
        return NAME(canonical)(a);
    PARTS x = NAME(normalised)(NAME(unpack)(a)), y = NAME(normalised)(NAME(unpack)(b));
    int left = x.exponent - y.exponent;
    if (left < 0)
        return NAME(canonical)(a);
    REST divisor = y.man >> (MAN_BITS - PRECISION);
    REST rest = x.man >> (MAN_BITS - PRECISION);
    rest = rest >= divisor ? rest - divisor : rest;
    while (left > REST_STEP) {
        rest = (rest << REST_STEP) % divisor;
        left -= REST_STEP;
    }
    rest = (rest << left) % divisor;
    if (rest == 0)
        return NAME(zero)(x.sign);
    SIG sig = (SIG)rest << (TOP - FRACTION_BITS);
    return NAME(round_pack_any)(env, x.sign, y.exponent, sig);
}
#undef REST
#undef REST_STEP
