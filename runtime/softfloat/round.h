/* From an exact (or sticky) significand to the encoding: rounds once, handles overflow and underflow. */

/* What is added before the bits below the precision are cut off. */
INLINE SIG NAME(increment)(enum rounding rounding, unsigned sign, SIG sig)
{
    switch (rounding) {
    case NEAREST_EVEN:
        return ROUND_HALF - 1 + (sig >> ROUND_BITS & 1);
    case NEAREST_AWAY:
        return ROUND_HALF;
    case UPWARD:
        return sign ? 0 : ROUND_MASK;
    case DOWNWARD:
        return sign ? ROUND_MASK : 0;
    default:
        return 0;
    }
}

INLINE FLOAT NAME(overflow)(struct environment *env, unsigned sign)
{
    env->flags |= OVERFLOW | INEXACT;
    if (env->rounding == TOWARD_ZERO || env->rounding == (sign ? UPWARD : DOWNWARD))
        return NAME(largest)(sign);
    return NAME(infinity)(sign);
}

/* (-1)^sign * sig * 2^(exponent - BIAS - TOP), rounded. The leading one of sig is at TOP; exponent may be
 * anything. Underflow is detected after rounding, as x86 does. */
INLINE FLOAT NAME(round_pack)(struct environment *env, unsigned sign, int exponent, SIG sig)
{
    int tiny = 0;
    if (exponent < 1) {
        SIG rounded = sig + NAME(increment)(env->rounding, sign, sig);
        tiny = (exponent < 0) | (rounded >> (TOP + 1) == 0);
        sig = shift_right_jam(sig, 1 - exponent);
        exponent = 1;
    }
    int inexact = (sig & ROUND_MASK) != 0;
    env->flags |= inexact ? INEXACT | (tiny ? UNDERFLOW : 0) : 0;
    SIG kept = (sig + NAME(increment)(env->rounding, sign, sig)) >> ROUND_BITS;
#ifdef EXPLICIT_ONE
    unsigned carry = (unsigned)(kept >> PRECISION);
    u64 significand = (u64)(kept >> carry);
    exponent += (int)carry;
    if (exponent >= EXPONENT_MAX)
        return NAME(overflow)(env, sign);
    return NAME(encode)(sign, significand >> 63 ? exponent : 0, significand);
#else
    /* The leading one adds itself to the exponent field, and so does a carry. */
    FLOAT bits = ((FLOAT)(exponent - 1) << FRACTION_BITS) + kept;
    if ((exponent >= EXPONENT_MAX) | (bits >= NAME(infinity)(0)))
        return NAME(overflow)(env, sign);
    return bits | NAME(zero)(sign);
#endif
}

/* The same for a significand whose leading one is at TOP or one above; exponent is right for TOP. */
INLINE FLOAT NAME(round_pack_carry)(struct environment *env, unsigned sign, int exponent, SIG sig)
{
    int carry = (int)(sig >> (SIG_BITS - 1));
    sig = carry ? sig >> 1 | (sig & 1) : sig;
    return NAME(round_pack)(env, sign, exponent + carry, sig);
}

/* The same for any significand but zero; exponent is right if the leading one is at TOP. */
INLINE FLOAT NAME(round_pack_any)(struct environment *env, unsigned sign, int exponent, SIG sig)
{
    int distance = normalise(&sig);
    sig |= (SIG)1 << (SIG_BITS - 1);
    return NAME(round_pack)(env, sign, exponent + 1 - distance, sig >> 1 | (sig & 1));
}
