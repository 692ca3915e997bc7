/* Rounding to an integral value. NaNs pass unchanged, as through musl's functions: without SSE 4.1 the
 * compiler calls those. */

INLINE FLOAT NAME(round_to_integral)(struct environment *env, FLOAT a)
{
    int exponent = NAME(exponent)(a) - BIAS;
    unsigned sign = NAME(sign)(a);
    if ((exponent >= FRACTION_BITS) | NAME(is_unsupported)(a))
        return a;
    if (exponent < 0) {
        /* Less than one: zero or one. */
        int half_up = (exponent == -1) & (NAME(fraction)(a) != 0);
        int up = 0;
        switch (env->rounding) {
        case NEAREST_EVEN:
            up = half_up;
            break;
        case NEAREST_AWAY:
            up = exponent == -1;
            break;
        case UPWARD:
            up = !sign & !NAME(is_zero)(a);
            break;
        case DOWNWARD:
            up = sign & !NAME(is_zero)(a);
            break;
        default:
            break;
        }
        env->flags |= NAME(is_zero)(a) ? 0 : INEXACT;
#ifdef EXPLICIT_ONE
        return up ? NAME(encode)(sign, BIAS, (u64)1 << 63) : NAME(zero)(sign);
#else
        return NAME(zero)(sign) | (up ? (FLOAT)BIAS << FRACTION_BITS : 0);
#endif
    }
    /* `one` is the lowest bit that stays. A carry runs into the exponent, as it should. */
#ifdef EXPLICIT_ONE
    u64 value = a.significand;
#else
    FLOAT value = a;
#endif
    MAN one = (MAN)1 << (FRACTION_BITS - exponent), below = one - 1;
    MAN increment = 0;
    switch (env->rounding) {
    case NEAREST_EVEN:
        increment = (below >> 1) + ((value & one) != 0);
        break;
    case NEAREST_AWAY:
        increment = one >> 1;
        break;
    case UPWARD:
        increment = sign ? 0 : below;
        break;
    case DOWNWARD:
        increment = sign ? below : 0;
        break;
    default:
        break;
    }
    env->flags |= value & below ? INEXACT : 0;
#ifdef EXPLICIT_ONE
    u64 rounded = (value + increment) & ~below;
    int carry = value + increment < value;
    FLOAT r = {carry ? (u64)1 << 63 : rounded, (u16)(a.sign_exponent + carry)};
    return r;
#else
    return (value + increment) & ~below;
#endif
}
