/* Complex multiplication and division as C99 Annex G wants them: clang emits calls to these.
 * NaN results are repaired when an operand was infinite, or a product overflowed. */
#define INF(T) ((T)__builtin_inf())

#define COMPLEX(T, MUL, DIV, ISNAN, ISINF, COPYSIGN, FMAX, FABS, LOGB, SCALBN)                      \
    T _Complex MUL(T a, T b, T c, T d)                                                             \
    {                                                                                              \
        T ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                          \
        T re = ac - bd, im = ad + bc;                                                              \
        if (ISNAN(re) && ISNAN(im)) {                                                              \
            int repair = 0;                                                                        \
            if (ISINF(a) || ISINF(b)) {                                                            \
                a = COPYSIGN(ISINF(a) ? 1 : 0, a), b = COPYSIGN(ISINF(b) ? 1 : 0, b);              \
                if (ISNAN(c)) c = COPYSIGN(0, c);                                                  \
                if (ISNAN(d)) d = COPYSIGN(0, d);                                                  \
                repair = 1;                                                                        \
            }                                                                                      \
            if (ISINF(c) || ISINF(d)) {                                                            \
                c = COPYSIGN(ISINF(c) ? 1 : 0, c), d = COPYSIGN(ISINF(d) ? 1 : 0, d);              \
                if (ISNAN(a)) a = COPYSIGN(0, a);                                                  \
                if (ISNAN(b)) b = COPYSIGN(0, b);                                                  \
                repair = 1;                                                                        \
            }                                                                                      \
            if (!repair && (ISINF(ac) || ISINF(bd) || ISINF(ad) || ISINF(bc))) {                   \
                if (ISNAN(a)) a = COPYSIGN(0, a);                                                  \
                if (ISNAN(b)) b = COPYSIGN(0, b);                                                  \
                if (ISNAN(c)) c = COPYSIGN(0, c);                                                  \
                if (ISNAN(d)) d = COPYSIGN(0, d);                                                  \
                repair = 1;                                                                        \
            }                                                                                      \
            if (repair) re = INF(T) * (a * c - b * d), im = INF(T) * (a * d + b * c);              \
        }                                                                                          \
        T _Complex z;                                                                              \
        __real__ z = re, __imag__ z = im;                                                          \
        return z;                                                                                  \
    }                                                                                              \
    T LOGB(T);                                                                                     \
    T SCALBN(T, int);                                                                              \
    T FMAX(T, T);                                                                                  \
    T _Complex DIV(T a, T b, T c, T d)                                                             \
    {                                                                                              \
        int scale = 0;                                                                             \
        T magnitude = LOGB(FMAX(FABS(c), FABS(d)));                                                \
        if (!ISNAN(magnitude) && !ISINF(magnitude)) {                                              \
            scale = (int)magnitude;                                                                \
            c = SCALBN(c, -scale), d = SCALBN(d, -scale);                                          \
        }                                                                                          \
        T norm = c * c + d * d;                                                                    \
        T re = SCALBN((a * c + b * d) / norm, -scale), im = SCALBN((b * c - a * d) / norm, -scale); \
        if (ISNAN(re) && ISNAN(im)) {                                                              \
            if (norm == 0 && (!ISNAN(a) || !ISNAN(b))) {                                           \
                re = COPYSIGN(INF(T), c) * a, im = COPYSIGN(INF(T), c) * b;                        \
            } else if ((ISINF(a) || ISINF(b)) && !ISINF(c) && !ISNAN(c) && !ISINF(d) && !ISNAN(d)) { \
                a = COPYSIGN(ISINF(a) ? 1 : 0, a), b = COPYSIGN(ISINF(b) ? 1 : 0, b);              \
                re = INF(T) * (a * c + b * d), im = INF(T) * (b * c - a * d);                      \
            } else if (ISINF(magnitude) && magnitude > 0 && !ISINF(a) && !ISNAN(a) && !ISINF(b) && !ISNAN(b)) { \
                c = COPYSIGN(ISINF(c) ? 1 : 0, c), d = COPYSIGN(ISINF(d) ? 1 : 0, d);              \
                re = 0 * (a * c + b * d), im = 0 * (b * c - a * d);                                \
            }                                                                                      \
        }                                                                                          \
        T _Complex z;                                                                              \
        __real__ z = re, __imag__ z = im;                                                          \
        return z;                                                                                  \
    }

COMPLEX(float, __mulsc3, __divsc3, __builtin_isnan, __builtin_isinf, __builtin_copysignf, fmaxf, __builtin_fabsf, logbf, scalbnf)
COMPLEX(double, __muldc3, __divdc3, __builtin_isnan, __builtin_isinf, __builtin_copysign, fmax, __builtin_fabs, logb, scalbn)
COMPLEX(long double, __mulxc3, __divxc3, __builtin_isnan, __builtin_isinf, __builtin_copysignl, fmaxl, __builtin_fabsl, logbl, scalbnl)
