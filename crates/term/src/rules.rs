//! The table of rewrite rules: a name and what it says. Each rule is counted when it fires
//! ([`Pool::rule_counts`](crate::Pool::rule_counts)); `tests/rules.rs` holds for each a term on which it must fire and a
//! near-miss on which it must not, and all are proved together by exhaustive evaluation at small
//! widths. To add a rule: a line here, the code in `build/`, a line in that test.

macro_rules! rules {
    ($($variant:ident $name:literal $says:literal;)*) => {
        /// A rewrite rule of the constructors.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Rule {
            $(#[doc = concat!("`", $says, "`")] $variant,)*
        }

        impl Rule {
            /// All rules, in the order of their discriminant.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];
            /// Number of rules.
            pub const COUNT: usize = Rule::ALL.len();

            /// The rule's name, as statistics print it.
            pub const fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name),* }
            }

            /// The rule as "left → right".
            pub const fn says(self) -> &'static str {
                match self { $(Rule::$variant => $says),* }
            }
        }
    };
}

rules! {
    // any operator
    Decided "decided" "t → its value, when known bits or interval leave only one";
    Fold "fold" "op(constants) → constant";
    ThroughChoice "through-choice" "op(ite(c, k, m), n) → ite(c, op(k, n), op(m, n))";
    DepthLimit "depth-limit" "no rule: constructors were nested too deep to rewrite further";
    // not, neg
    NotNot "not-not" "~~x → x";
    NotNeg "not-neg" "~(-x) → x - 1";
    NotXor "not-xor" "~(k ^ x) → ~k ^ x";
    NotConcat "not-concat" "~(x : y) → ~x : ~y";
    NotSext "not-sext" "~sext(x) → sext(~x)";
    NegNeg "neg-neg" "-(-x) → x";
    NegNot "neg-not" "-(~x) → x + 1";
    NegSub "neg-sub" "-(x - y) → y - x; -(k + x) → -k - x";
    ArithBool "arith-bool" "at width 1: -x → x; x + y, x - y → x ^ y; x * y → x & y";
    // add, sub
    AddZero "add-zero" "x + 0 → x";
    AddConsts "add-consts" "m + (k + x) → (m + k) + x; m + (k - x) → (m + k) - x";
    AddNeg "add-neg" "x + -y → x - y";
    AddNot "add-not" "k + ~x → (k - 1) - x";
    AddSelf "add-self" "x + x → x << 1";
    AddOpposite "add-opposite" "x + ~x → ~0";
    AddSub "add-sub" "x + (y - x) → y";
    AddPull "add-pull" "x + (k + y) → k + (x + y); x + (k - y) → k + (x - y)";
    AddJoin "add-join" "x + y → high part of x : low part of y, when they share no bit";
    SubSelf "sub-self" "x - x → 0";
    SubConst "sub-const" "x - k → -k + x";
    SubZero "sub-zero" "0 - x → -x";
    SubNeg "sub-neg" "x - -y → x + y";
    SubOnes "sub-ones" "~0 - x → ~x";
    SubAdd "sub-add" "(x + y) - x → y; x - (x + y), (x - y) - x → -y; x - (x - y) → y";
    SubPull "sub-pull" "(k + x) - y → k + (x - y); x - (k + y) → -k + (x - y); x - (k - y) → -k + (x + y)";
    RemFromDiv "rem-from-div" "x - k * (x / k) → x % k; k * (x / k) - x, x + k * (-x / k) → -(x % k), -(-x % k); both signed and not";
    // mul, div
    MulZeroOne "mul-zero-one" "x * 0 → 0, x * 1 → x, x * -1 → -x";
    MulPower "mul-power" "x * 2^k → x << k";
    MulConsts "mul-consts" "k * (m * x) → (k * m) * x; k * -x, -(k * x) → -k * x";
    DivOne "div-one" "x / 1 → x";
    DivZero "div-zero" "x /u 0 → ~0; x %u 0 → x";
    UdivPower "udiv-power" "x /u 2^k → x >>u k";
    UdivUdiv "udiv-udiv" "(x /u k) /u m → x /u (k * m), when that does not overflow";
    DivNarrow "div-narrow" "zext(x) /u k, zext(x) %u k → in the width of x, when k > 0 fits";
    SdivOnes "sdiv-ones" "x /s -1 → -x";
    SignedPositive "signed-positive" "x /s y, x %s y → unsigned, when both are not negative";
    UremSelf "urem-self" "x %u x → 0";
    UremPower "urem-power" "x %u 2^k → the k low bits of x";
    UremSmall "urem-small" "x %u y → x, when x < y surely";
    SremOne "srem-one" "x %s 1, x %s -1, x %s x → 0";
    // shifts
    ShiftZero "shift-zero" "x shifted by 0 → x";
    ZeroShifted "zero-shifted" "0 << x, 0 >>u x → 0; ~0 >>s x → ~0";
    ShlConst "shl-const" "x << k → low bits of x : 0; also when x is surely too far";
    LshrConst "lshr-const" "x >>u k → zext(high bits of x)";
    AshrConst "ashr-const" "x >>s k → sext(high bits of x)";
    AshrPositive "ashr-positive" "x >>s y → x >>u y, when x is not negative";
    // and, or, xor
    BitIdentity "bit-identity" "x & ~0, x | 0, x ^ 0 → x";
    BitAbsorbing "bit-absorbing" "x & 0 → 0, x | ~0 → ~0";
    BitSelf "bit-self" "x & x, x | x → x; x ^ x → 0";
    BitOpposite "bit-opposite" "x & ~x → 0; x | ~x, x ^ ~x → ~0";
    XorOnes "xor-ones" "x ^ ~0 → ~x";
    XorNot "xor-not" "~x ^ y → ~(x ^ y); k ^ ~x → ~k ^ x";
    BitConsts "bit-consts" "(x op k) op m → x op (k op m)";
    BitPull "bit-pull" "x op (k op y) → k op (x op y)";
    Absorb "absorb" "x & (x & y) → x & y; x & (x | y) → x; the duals; x ^ (x ^ y) → y";
    AbsorbOpposite "absorb-opposite" "x & (~x & y) → 0; x & (~x | y) → x & y; the duals";
    EqExclusive "eq-exclusive" "x = k & x = m → 0; x = k & x != m → x = k";
    LessOrEqual "less-or-equal" "x != y & !(x < y) → y < x; x = y | x < y → !(y < x); both signed and not";
    MaskCovers "mask-covers" "x & k → x, when k covers all that x can be; x | k → x, when x has k";
    MaskRun "mask-run" "x & 0..01..10..0 → zext(x[i:j] : 0)";
    MaskTrim "mask-trim" "x & k → x & the bits of k that x can have";
    OrJoin "or-join" "x | y, x ^ y → high part of x : low part of y, when they share no bit";
    // concat, extract, extensions
    ConcatRight "concat-right" "(x : y) : z → x : (y : z)";
    ConcatZero "concat-zero" "0 : x → zext(x)";
    ConcatZext "concat-zext" "zext(x) : y → zext(x : y)";
    ConcatConst "concat-const" "k : zext(x) → (k : 0) : x";
    ConcatAdjacent "concat-adjacent" "x[i:j] : x[j-1:k] → x[i:k]";
    ConcatSign "concat-sign" "sext(sign of x) : x → sext(x)";
    ConcatNot "concat-not" "~x : ~y → ~(x : y), when x and y fit together";
    ConcatIte "concat-ite" "ite(c, k, l) : ite(c, m, n) → ite(c, k : m, l : n); c, ~c, ext(c) count as such, too";
    ExtractAll "extract-all" "x[w-1:0] → x";
    ExtractExtract "extract-extract" "x[i:j][k:l] → x[j+k:j+l]";
    ExtractConcat "extract-concat" "(x : y)[i:j] → the part of x, of y, or of each";
    ExtractExtend "extract-extend" "ext(x)[i:j] → x[i:j], 0, or a shorter extension";
    ExtractNot "extract-not" "(~x)[i:j] → ~(x[i:j])";
    ExtractMask "extract-mask" "(x op k)[i:j] → simpler, when k[i:j] is all 0 or all 1";
    ExtractLow "extract-low" "(x op y)[i:0] → x[i:0] op y[i:0], when those exist already";
    ExtractIte "extract-ite" "ite(c, x, y)[i:j] → ite(c, x[i:j], y[i:j]), when those are free";
    ExtendExtend "extend-extend" "zext(zext(x)), sext(sext(x)) → one extension";
    SextPositive "sext-positive" "sext(x) → zext(x), when x is not negative";
    // comparisons
    CompareSelf "compare-self" "x = x → 1; x < x → 0";
    CompareBool "compare-bool" "x <u y → ~x & y, x <s y → x & ~y at width 1";
    CompareEnds "compare-ends" "x <u 0, ~0 <u x → 0";
    EqBool "eq-bool" "x = 1 → x, x = 0 → ~x, x = y → ~(x ^ y) at width 1";
    EqOpposite "eq-opposite" "x = ~x → 0";
    EqExtend "eq-extend" "ext(x) = k → x = k or 0";
    EqConcat "eq-concat" "x : y = z → x = high z & y = low z";
    EqShift "eq-shift" "k + x = m, k - x = m, k ^ x = m, -x = m, ~x = m → x = …";
    EqDifference "eq-difference" "x - y = 0, x ^ y = 0 → x = y";
    EqMul "eq-mul" "k * x = m → x = m / k modulo 2^w, for odd k";
    EqOrZero "eq-or-zero" "x | y = 0 → x = 0 & y = 0; x & y = ~0 → x = ~0 & y = ~0";
    EqChoice "eq-choice" "ite(c, k, x) = m → c | x = m, when k is m; else ~c & x = m";
    EqPart "eq-part" "x + y = x, x ^ y = x, x - y = x → y = 0; ite(c, x, y) = x → c | y = x";
    EqSame "eq-same" "op(x) = op(y) → x = y for one-to-one op; k + x = m + y → (k - m) + x = y";
    UltEnds "ult-ends" "x <u k, k <u x → (in)equality, when one value, or all but one, satisfies it";
    UltExtend "ult-extend" "ext(x) <u k, k <u ext(x) → in the width of x, or its sign";
    UltConcat "ult-concat" "x : y <u k → comparison of x or y, when k's or y's low part allows";
    UltNot "ult-not" "~x <u k → ~k <u x";
    UltShift "ult-shift" "k + x <u m → x <u m - k, when the sum surely wraps or surely does not";
    OrderChoice "order-choice" "ite(c, k, x) < m → ite(c, k < m, x < m)";
    OrderSame "order-same" "op(x) < op(y) → x < y or y < x for monotone op";
    SltUnsigned "slt-unsigned" "x <s y → x <u y, when the signs are known and the same";
    SltSigns "slt-signs" "x <s y → constant, when the signs are known and different";
    SltZero "slt-zero" "x <s 0 → sign of x; -1 <s x → ~sign of x";
    SltExtend "slt-extend" "sext(x) <s k, k <s sext(x) → in the width of x, or a constant";
    SltConcat "slt-concat" "x : y <s k → comparison of x or y, when k's low part allows";
    SltNot "slt-not" "~x <s k → ~k <s x";
    SltEnds "slt-ends" "x <s min + 1 → x = min; max - 1 <s x → x = max";
    // ite
    IteConst "ite-const" "ite(1, x, y) → x; ite(0, x, y) → y";
    IteSame "ite-same" "ite(c, x, x) → x";
    IteNot "ite-not" "ite(~c, x, y) → ite(c, y, x)";
    IteBool "ite-bool" "ite(c, 1, x), ite(c, c, x) → c | x and its kin at width 1";
    IteXor "ite-xor" "ite(c, x, ~x) → c ^ ~x at width 1";
    IteIte "ite-ite" "ite(c, ite(c, x, y), z) → ite(c, x, z)";
    IteMerge "ite-merge" "ite(c, x, ite(d, x, y)) → ite(c | d, x, y) and its kin";
    IteEq "ite-eq" "ite(x = y, x, y) → y";
    IteExtend "ite-extend" "ite(c, 1, 0) → zext(c); ite(c, ~0, 0) → sext(c)";
    IteNarrow "ite-narrow" "ite(c, ext(x), ext(y)) → ext(ite(c, x, y))";
    IteShared "ite-shared" "ite(c, x : y, x : z) → x : ite(c, y, z)";
    // arrays
    SelectConst "select-const" "select of a known element → the element";
    SelectStore "select-store" "select(store(a, i, v), i) → v";
    SelectPast "select-past" "select(store(a, i, v), j) → select(a, j), when i != j surely";
    StoreStore "store-store" "store(store(a, i, v), i, w) → store(a, i, w)";
    StoreSelect "store-select" "store(a, i, select(a, i)) → a";
    // integers
    IntDivision "int-division" "x div 1 → x; x mod 1 → 0";
    IntParity "int-parity" "2 * x + 2 * y = 3 → 0: the factors' common divisor does not divide it";
    // floats
    FpBits "fp-bits" "fp_to_bits(fp_from_bits(x)) → x and back";
    BitsOfSign "bits-of-sign" "fp_to_bits(-x) → ~sign : rest; fp_to_bits(|x|) → 0 : rest";
    SignOfBits "sign-of-bits" "fp_from_bits(~sign : rest) → -x; fp_from_bits(0 : rest) → |x|, for the bits sign : rest of x";
    BitsOfIte "bits-of-ite" "fp_to_bits(ite(c, x, y)) → ite(c, fp_to_bits(x), fp_to_bits(y))";
    FnegFneg "fneg-fneg" "-(-x) → x";
    FabsSign "fabs-sign" "||x||, |-x| → |x|";
    Widened "widened" "a conversion of x that was widened → a conversion of x, which is the result of an operation";
    FcmpNegated "fcmp-negated" "a predicate true of NaN → not of its opposite";
    FcmpSwapped "fcmp-swapped" "x > y → y < x; ordered operands of symmetric predicates";
    FcmpSelf "fcmp-self" "x == x, x <= x → ordered(x, x); x < x, x <> x → 0";
}
