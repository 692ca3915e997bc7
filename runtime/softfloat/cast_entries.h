/* Conversions between formats. */

u64 __polypath_soft_f32_to_f64(u32 x)
{
    UNDER(NEAREST_EVEN);
    return close_f64(&env, open_f32(&env, x));
}
struct extended __polypath_soft_f32_to_f80(u32 x)
{
    UNDER(NEAREST_EVEN);
    return close_f80(&env, open_f32(&env, x));
}
u32 __polypath_soft_f64_to_f32(u64 x)
{
    UNDER(NEAREST_EVEN);
    return close_f32(&env, open_f64(&env, x));
}
struct extended __polypath_soft_f64_to_f80(u64 x)
{
    UNDER(NEAREST_EVEN);
    return close_f80(&env, open_f64(&env, x));
}
u32 __polypath_soft_f80_to_f32(u64 significand, u16 sign_exponent)
{
    UNDER(NEAREST_EVEN);
    return close_f32(&env, open_f80(&env, (struct extended){significand, sign_exponent}));
}
u64 __polypath_soft_f80_to_f64(u64 significand, u16 sign_exponent)
{
    UNDER(NEAREST_EVEN);
    return close_f64(&env, open_f80(&env, (struct extended){significand, sign_exponent}));
}
