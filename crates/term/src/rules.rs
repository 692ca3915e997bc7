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
            $(#[doc = $says] $variant,)*
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

            /// What the rule does, as "left → right".
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
    // not, neg
    NotNot "not-not" "~~x → x";
    NegNeg "neg-neg" "-(-x) → x";
    // add, sub
    AddZero "add-zero" "x + 0 → x";
    AddConsts "add-consts" "(x + k) + m → x + (k + m)";
    SubSelf "sub-self" "x - x → 0";
    SubConst "sub-const" "x - k → x + (-k)";
    // mul, div
    MulZeroOne "mul-zero-one" "x * 0 → 0, x * 1 → x, x * -1 → -x";
    MulPower "mul-power" "x * 2^k → x << k";
    DivOne "div-one" "x / 1 → x";
    UdivPower "udiv-power" "x /u 2^k → x >>u k";
    UremPower "urem-power" "x %u 2^k → the k low bits of x";
    // shifts
    ShiftZero "shift-zero" "x shifted by 0 → x";
    ShlConst "shl-const" "x << k → low bits of x : 0";
    LshrConst "lshr-const" "x >>u k → zext(high bits of x)";
    AshrConst "ashr-const" "x >>s k → sext(high bits of x)";
    // and, or, xor
    BitIdentity "bit-identity" "x & ~0, x | 0, x ^ 0 → x";
    BitAbsorbing "bit-absorbing" "x & 0 → 0, x | ~0 → ~0";
    BitSelf "bit-self" "x & x, x | x → x; x ^ x → 0";
    BitOpposite "bit-opposite" "x & ~x → 0; x | ~x, x ^ ~x → ~0";
    XorOnes "xor-ones" "x ^ ~0 → ~x";
    BitConsts "bit-consts" "(x op k) op m → x op (k op m)";
    // concat, extract, extensions
    ConcatZero "concat-zero" "0 : x → zext(x)";
    ConcatAdjacent "concat-adjacent" "x[i:j] : x[j-1:k] → x[i:k]";
    ExtractAll "extract-all" "x[w-1:0] → x";
    ExtractExtract "extract-extract" "x[i:j][k:l] → x[j+k:j+l]";
    ExtractConcat "extract-concat" "(x : y)[i:j] → the part of x, of y, or of each";
    ExtractExtend "extract-extend" "ext(x)[i:j] → x[i:j], 0, or a shorter extension";
    ExtendExtend "extend-extend" "ext(ext(x)) → one extension";
    // comparisons
    CompareSelf "compare-self" "x = x → 1; x < x → 0";
    EqBool "eq-bool" "x = 1 → x, x = 0 → ~x, x = y → ~(x ^ y) at width 1";
    // ite
    IteConst "ite-const" "ite(1, x, y) → x; ite(0, x, y) → y";
    IteSame "ite-same" "ite(c, x, x) → x";
    IteNot "ite-not" "ite(~c, x, y) → ite(c, y, x)";
    IteBool "ite-bool" "ite of width 1 with a constant branch → c, ~c, and, or";
    // arrays
    SelectConst "select-const" "select of a known element";
    SelectStore "select-store" "select(store(a, i, v), i) → v; select(store(a, k, v), m) → select(a, m), k ≠ m";
    // floats
    FpBits "fp-bits" "fp_to_bits(fp_from_bits(x)) → x and back";
}
