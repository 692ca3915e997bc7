/* The soft-float behind numbered operations with every rounding mode and the flags, and the same operations
 * on the processor: SSE for binary32 and binary64, x87 for the rest. Values travel as two words. */
#include "softfloat.c"

#include <string.h>

struct value {
    u64 low, high;
};

/* As the test numbers them. */
enum operation {
    ADD, SUB, MUL, DIV, REM, SQRT, FMA, ROUND, EQ, LT, LE, TO_S16, TO_S32, TO_S64,
    FROM_S64, FROM_U64, TO_F32, TO_F64, TO_F80
};

#define EXACT(x) ((struct value){(x), 0})
static struct value of_f80(struct extended x) { return (struct value){x.significand, x.sign_exponent}; }
static struct extended to_f80(struct value x) { return (struct extended){x.low, (u16)x.high}; }

#define SOFT_CASES(f, in, out)                                                    \
    case ADD: return out(add_sub_##f(env, in(a), in(b), 0));                      \
    case SUB: return out(add_sub_##f(env, in(a), in(b), 1));                      \
    case MUL: return out(mul_##f(env, in(a), in(b)));                             \
    case DIV: return out(div_##f(env, in(a), in(b)));                             \
    case REM: return out(rem_##f(env, in(a), in(b)));                             \
    case SQRT: return out(sqrt_##f(env, in(a)));                                  \
    case ROUND: return out(round_to_integral_##f(env, in(a)));                    \
    case EQ: return EXACT((u64)eq_##f(env, in(a), in(b)));                        \
    case LT: return EXACT((u64)lt_##f(env, in(a), in(b)));                        \
    case LE: return EXACT((u64)le_##f(env, in(a), in(b)));                        \
    case TO_S16: return EXACT(to_signed_##f(env, in(a), 16) & 0xffff);            \
    case TO_S32: return EXACT(to_signed_##f(env, in(a), 32) & 0xffffffff);        \
    case TO_S64: return EXACT(to_signed_##f(env, in(a), 64));                     \
    case FROM_S64: return out(from_signed_##f(env, a.low));                       \
    case FROM_U64: return out(from_unsigned_##f(env, a.low));                     \
    case TO_F32: return EXACT(close_f32(env, open_##f(env, in(a))));              \
    case TO_F64: return EXACT(close_f64(env, open_##f(env, in(a))));              \
    case TO_F80: return of_f80(close_f80(env, open_##f(env, in(a))));

#define LOW32(v) ((u32)(v).low)
#define LOW64(v) ((v).low)

static struct value soft32(struct environment *env, enum operation op, struct value a, struct value b, struct value c)
{
    switch (op) {
        SOFT_CASES(f32, LOW32, EXACT)
    case FMA: return EXACT(fma_f32(env, LOW32(a), LOW32(b), LOW32(c)));
    }
    return EXACT(0);
}
static struct value soft64(struct environment *env, enum operation op, struct value a, struct value b, struct value c)
{
    switch (op) {
        SOFT_CASES(f64, LOW64, EXACT)
    case FMA: return EXACT(fma_f64(env, a.low, b.low, c.low));
    }
    return EXACT(0);
}
static struct value soft80(struct environment *env, enum operation op, struct value a, struct value b)
{
    switch (op) {
        SOFT_CASES(f80, to_f80, of_f80)
    case FMA: break;
    }
    return EXACT(0);
}

struct value soft(int format, int op, int rounding, struct value a, struct value b, struct value c, unsigned *flags)
{
    struct environment env = {(enum rounding)rounding, 0};
    struct value r = format == 32   ? soft32(&env, (enum operation)op, a, b, c)
                     : format == 64 ? soft64(&env, (enum operation)op, a, b, c)
                                    : soft80(&env, (enum operation)op, a, b);
    *flags = env.flags;
    return r;
}

/* --- the processor --- */

/* Bits of the rounding field: nearest 0, down 1, up 2, zero 3. There is no NEAREST_AWAY. */
static unsigned field(int rounding)
{
    return rounding == UPWARD ? 2 : rounding == DOWNWARD ? 1 : rounding == TOWARD_ZERO ? 3 : 0;
}
static unsigned flags_of(unsigned status)
{
    return (status & 1 ? INVALID : 0) | (status & 4 ? DIVIDE_BY_ZERO : 0) | (status & 8 ? OVERFLOW : 0) |
           (status & 16 ? UNDERFLOW : 0) | (status & 32 ? INEXACT : 0);
}

#define SSE(instruction, x, y) __asm__ volatile(instruction " %1, %0" : "+x"(x) : "x"(y))

#define HARD_SSE(name, real, bits, s)                                                          \
    static struct value name(enum operation op, struct value va, struct value vb)              \
    {                                                                                          \
        real a, b;                                                                             \
        bits n;                                                                                \
        u64 i = 0;                                                                             \
        float single = 0;                                                                      \
        double wide = 0;                                                                       \
        memcpy(&a, &va.low, sizeof a);                                                         \
        memcpy(&b, &vb.low, sizeof b);                                                         \
        switch (op) {                                                                          \
        case ADD: SSE("adds" s, a, b); break;                                                  \
        case SUB: SSE("subs" s, a, b); break;                                                  \
        case MUL: SSE("muls" s, a, b); break;                                                  \
        case DIV: SSE("divs" s, a, b); break;                                                  \
        case SQRT: SSE("sqrts" s, b, a); a = b; break;                                         \
        case EQ: SSE("cmpeqs" s, a, b); memcpy(&n, &a, sizeof n); return EXACT(n & 1);         \
        case LT: SSE("cmplts" s, a, b); memcpy(&n, &a, sizeof n); return EXACT(n & 1);         \
        case LE: SSE("cmples" s, a, b); memcpy(&n, &a, sizeof n); return EXACT(n & 1);         \
        case TO_S32: __asm__ volatile("cvtts" s "2si %1, %k0" : "=r"(i) : "x"(a)); return EXACT(i & 0xffffffff); \
        case TO_S64: __asm__ volatile("cvtts" s "2si %1, %q0" : "=r"(i) : "x"(a)); return EXACT(i); \
        case FROM_S64: __asm__ volatile("cvtsi2s" s "q %q1, %0" : "+x"(a) : "r"(va.low)); break; \
        case TO_F32: if (sizeof a == 4) break; __asm__ volatile("cvtsd2ss %1, %0" : "+x"(single) : "x"(a)); \
            memcpy(&n, &a, sizeof n); { u32 m; memcpy(&m, &single, 4); return EXACT(m); }      \
        case TO_F64: if (sizeof a == 8) break; __asm__ volatile("cvtss2sd %1, %0" : "+x"(wide) : "x"(a)); \
            { u64 m; memcpy(&m, &wide, 8); return EXACT(m); }                                  \
        default: break;                                                                        \
        }                                                                                      \
        memcpy(&n, &a, sizeof n);                                                              \
        return EXACT(n);                                                                       \
    }
HARD_SSE(hard32, float, u32, "s")
HARD_SSE(hard64, double, u64, "d")

#define X87(text) __asm__ volatile("fldt %2\n\tfldt %1\n\t" text "\n\tfstpt %0" : "=m"(r) : "m"(a), "m"(b) : "st", "st(1)")
#define X87_ONE(text) __asm__ volatile("fldt %1\n\t" text "\n\tfstpt %0" : "=m"(r) : "m"(a) : "st")
#define X87_STORE(text, to) __asm__ volatile("fldt %1\n\t" text " %0" : "=m"(to) : "m"(a) : "st")

static struct value hard80(enum operation op, struct value va, struct value vb)
{
    unsigned char a[16] = {0}, b[16] = {0}, r[16] = {0};
    memcpy(a, &va, 10);
    memcpy(b, &vb, 10);
    u16 half = 0;
    u32 word = 0;
    u64 giant = 0;
    switch (op) {
    case ADD: X87("faddp"); break;
    case SUB: X87("fsubp"); break;
    case MUL: X87("fmulp"); break;
    case DIV: X87("fdivp"); break;
    case REM:
        __asm__ volatile("fldt %2\n\tfldt %1\n1:\tfprem\n\tfnstsw %%ax\n\ttestb $4, %%ah\n\tjne 1b\n\tfstp %%st(1)\n\tfstpt %0"
                         : "=m"(r) : "m"(a), "m"(b) : "ax", "st", "st(1)");
        break;
    case SQRT: X87_ONE("fsqrt"); break;
    case ROUND: X87_ONE("frndint"); break;
    case TO_S16: X87_STORE("fistps", half); return EXACT(half);
    case TO_S32: X87_STORE("fistpl", word); return EXACT(word);
    case TO_S64: X87_STORE("fistpll", giant); return EXACT(giant);
    case TO_F32: X87_STORE("fstps", word); return EXACT(word);
    case TO_F64: X87_STORE("fstpl", giant); return EXACT(giant);
    case FROM_S64: __asm__ volatile("fildll %1\n\tfstpt %0" : "=m"(r) : "m"(va.low) : "st"); break;
    case EQ: case LT: case LE: {
        /* CF: less, ZF: equal, both and PF: unordered. */
        u8 carry, zero, parity;
        if (op == EQ)
            __asm__ volatile("fldt %4\n\tfldt %3\n\tfucomip %%st(1), %%st\n\tfstp %%st(0)\n\tsetb %0\n\tsete %1\n\tsetp %2"
                             : "=q"(carry), "=q"(zero), "=q"(parity) : "m"(a), "m"(b) : "st", "st(1)", "cc");
        else
            __asm__ volatile("fldt %4\n\tfldt %3\n\tfcomip %%st(1), %%st\n\tfstp %%st(0)\n\tsetb %0\n\tsete %1\n\tsetp %2"
                             : "=q"(carry), "=q"(zero), "=q"(parity) : "m"(a), "m"(b) : "st", "st(1)", "cc");
        if (parity)
            return EXACT(0);
        return EXACT((u64)(op == EQ ? zero : op == LT ? carry : carry | zero));
    }
    default: break;
    }
    struct value v = {0, 0};
    memcpy(&v, r, 10);
    return v;
}

struct value hard(int format, int op, int rounding, struct value a, struct value b, unsigned *flags)
{
    if (format == 80 || (op == TO_F80)) {
        u16 control, narrow = 0x037f;
        u16 status;
        __asm__ volatile("fnstcw %0" : "=m"(control));
        int cut = op == TO_S16 || op == TO_S32 || op == TO_S64;
        narrow = (u16)(narrow | (cut ? 3 : field(rounding)) << 10);
        struct value r;
        __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(narrow));
        if (format == 80) {
            r = hard80((enum operation)op, a, b);
        } else {
            unsigned char out[16] = {0};
            u32 word = (u32)a.low;
            if (format == 32)
                __asm__ volatile("flds %1\n\tfstpt %0" : "=m"(out) : "m"(word) : "st");
            else
                __asm__ volatile("fldl %1\n\tfstpt %0" : "=m"(out) : "m"(a.low) : "st");
            r = (struct value){0, 0};
            memcpy(&r, out, 10);
        }
        __asm__ volatile("fnstsw %0\n\tfnclex\n\tfldcw %1" : "=m"(status) : "m"(control));
        *flags = flags_of(status);
        return r;
    }
    u32 before, during = 0x1f80 | field(rounding) << 13, after;
    __asm__ volatile("stmxcsr %0\n\tldmxcsr %1" : "=m"(before) : "m"(during) : "memory");
    struct value r = format == 32 ? hard32((enum operation)op, a, b) : hard64((enum operation)op, a, b);
    __asm__ volatile("stmxcsr %0\n\tldmxcsr %1" : "=m"(after) : "m"(before) : "memory");
    *flags = flags_of(after);
    return r;
}
