//! Every rule of the table fires on its example and not on its near-miss. (That the results mean
//! the same is proved in `semantics.rs`.)
//!
//! Terms are S-expressions: `5:8` is a constant of width 8; p q are Booleans, x y z bytes,
//! i j indices of 64 bits, u v of 128 bits, A an array, F G doubles, k l integers. The outermost operator is the
//! one that is watched.

use polypath_term::{FloatFormat, FloatPredicate, Pool, RoundingMode, Rule, Sort, Term};
use std::collections::BTreeMap;

/// (rule, a term on which it fires, a term on which it does not).
const EXAMPLES: &[(Rule, &str, &str)] = {
    use Rule::*;
    &[
        (
            Decided,
            "(ult (zext 16 x) (add 256:16 (zext 16 y)))",
            "(ult (zext 16 x) (add 255:16 (zext 16 y)))",
        ),
        (Fold, "(add 1:8 2:8)", "(add 1:8 x)"),
        (
            ThroughChoice,
            "(add (ite p 3:8 5:8) 2:8)",
            "(add (ite p 3:8 x) 2:8)",
        ),
        (NotNot, "(not (not x))", "(not (neg x))"),
        (NotNeg, "(not (neg x))", "(not (add x y))"),
        (NotXor, "(not (xor 5:8 x))", "(not (xor x y))"),
        (NotConcat, "(not (concat x y))", "(not (mul x y))"),
        (NotSext, "(not (sext 16 x))", "(not (zext 16 x))"),
        (NegNeg, "(neg (neg x))", "(neg (not x))"),
        (NegNot, "(neg (not x))", "(neg (mul x y))"),
        (NegSub, "(neg (sub x y))", "(neg (add x y))"),
        (ArithBool, "(add p q)", "(add x y)"),
        (AddZero, "(add x 0:8)", "(add x 1:8)"),
        (AddConsts, "(add 3:8 (add 4:8 x))", "(add 3:8 (add x y))"),
        (AddNeg, "(add x (neg y))", "(add x (not y))"),
        (AddNot, "(add 3:8 (not x))", "(add y (not x))"),
        (AddSelf, "(add x x)", "(add x y)"),
        (AddOpposite, "(add x (not x))", "(add x (not y))"),
        (AddSub, "(add x (sub y x))", "(add x (sub x y))"),
        (AddPull, "(add x (add 3:8 y))", "(add x (add z y))"),
        (
            AddJoin,
            "(add (zext 16 x) (concat y 0:8))",
            "(add (zext 16 x) (concat y (concat p 0:7)))",
        ),
        (SubSelf, "(sub x x)", "(sub x y)"),
        (SubConst, "(sub x 3:8)", "(sub 3:8 x)"),
        (SubZero, "(sub 0:8 x)", "(sub 1:8 x)"),
        (SubNeg, "(sub x (neg y))", "(sub x (not y))"),
        (SubOnes, "(sub -1:8 x)", "(sub -2:8 x)"),
        (SubAdd, "(sub (add x y) x)", "(sub (add x y) z)"),
        (
            RemFromDiv,
            "(sub x (mul 7:8 (sdiv x 7:8)))",
            "(sub x (mul 7:8 (sdiv y 7:8)))",
        ),
        (
            RemFromDiv,
            "(sub (mul 7:8 (sdiv x 7:8)) x)",
            "(sub (mul 7:8 (sdiv x 6:8)) x)",
        ),
        (
            RemFromDiv,
            "(add x (mul 7:8 (sdiv (neg x) 7:8)))",
            "(add x (mul 7:8 (sdiv x 7:8)))",
        ),
        (
            RemFromDiv,
            "(sub x (mul 7:8 (udiv x 7:8)))",
            "(sub x (mul 6:8 (udiv x 7:8)))",
        ),
        (
            RemFromDiv,
            "(add (mul 249:8 (udiv x 7:8)) x)",
            "(add (mul 7:8 (udiv x 7:8)) x)",
        ),
        (SubPull, "(sub (add 3:8 x) y)", "(sub (add x z) y)"),
        (MulZeroOne, "(mul -1:8 x)", "(mul 3:8 x)"),
        (MulPower, "(mul 8:8 x)", "(mul 6:8 x)"),
        (MulConsts, "(mul 3:8 (mul 5:8 x))", "(mul 3:8 (mul y x))"),
        (DivOne, "(udiv x 1:8)", "(udiv x 3:8)"),
        (DivZero, "(udiv x 0:8)", "(udiv x y)"),
        (UdivPower, "(udiv x 4:8)", "(udiv x 6:8)"),
        (
            UdivUdiv,
            "(udiv (udiv x 3:8) 5:8)",
            "(udiv (udiv x 100:8) 3:8)",
        ),
        (
            DivNarrow,
            "(udiv (zext 16 x) 10:16)",
            "(udiv (zext 16 x) 256:16)",
        ),
        (SdivOnes, "(sdiv x -1:8)", "(sdiv x -2:8)"),
        (
            SignedPositive,
            "(sdiv (zext 16 x) 10:16)",
            "(sdiv (sext 16 x) 10:16)",
        ),
        (UremSelf, "(urem x x)", "(urem x y)"),
        (UremPower, "(urem x 8:8)", "(urem x 7:8)"),
        (
            UremSmall,
            "(urem (zext 16 x) 300:16)",
            "(urem (zext 16 x) 255:16)",
        ),
        (SremOne, "(srem x 1:8)", "(srem x 2:8)"),
        (ShiftZero, "(shl x 0:8)", "(shl x y)"),
        (ZeroShifted, "(lshr 0:8 x)", "(lshr 1:8 x)"),
        (ShlConst, "(shl x 3:8)", "(shl x y)"),
        (LshrConst, "(lshr x 3:8)", "(lshr x y)"),
        (AshrConst, "(ashr x 3:8)", "(ashr x y)"),
        (
            AshrPositive,
            "(ashr (zext 16 x) (zext 16 y))",
            "(ashr (sext 16 x) (zext 16 y))",
        ),
        (BitIdentity, "(and x -1:8)", "(and x 5:8)"),
        (BitAbsorbing, "(or x -1:8)", "(or x 5:8)"),
        (BitSelf, "(xor x x)", "(xor x y)"),
        (BitOpposite, "(and x (not x))", "(and x (not y))"),
        (XorOnes, "(xor x -1:8)", "(xor x 127:8)"),
        (XorNot, "(xor x (not y))", "(and x (not y))"),
        (BitConsts, "(or 9:8 (or 2:8 x))", "(or 9:8 (and 5:8 x))"),
        (BitPull, "(or x (or 5:8 y))", "(or x (and 5:8 y))"),
        (Absorb, "(and x (or x y))", "(and x (or z y))"),
        (
            AbsorbOpposite,
            "(and x (or (not x) y))",
            "(and x (or (not z) y))",
        ),
        (
            LessOrEqual,
            "(and (not (eq x y)) (not (slt x y)))",
            "(and (not (eq x z)) (not (slt x y)))",
        ),
        (
            LessOrEqual,
            "(or (eq x y) (ult y x))",
            "(or (eq x y) (ult y z))",
        ),
        (
            EqExclusive,
            "(and (eq x 3:8) (eq x 5:8))",
            "(and (eq x 3:8) (eq y 5:8))",
        ),
        (
            MaskCovers,
            "(and (zext 16 x) 255:16)",
            "(and (zext 16 x) 253:16)",
        ),
        (MaskRun, "(and x 60:8)", "(and x 61:8)"),
        (
            MaskTrim,
            "(and (zext 16 x) 1021:16)",
            "(and (zext 16 x) 253:16)",
        ),
        (
            OrJoin,
            "(or (zext 16 x) (concat y 0:8))",
            "(or (zext 16 x) (concat y (concat p 0:7)))",
        ),
        (
            ConcatRight,
            "(concat (concat x y) z)",
            "(concat x (concat y z))",
        ),
        (ConcatZero, "(concat 0:8 x)", "(concat 1:8 x)"),
        (
            ConcatZext,
            "(concat (zext 16 x) y)",
            "(concat (sext 16 x) y)",
        ),
        (
            ConcatConst,
            "(concat 5:8 (zext 16 x))",
            "(concat y (zext 16 x))",
        ),
        (
            ConcatAdjacent,
            "(concat (extract 6 4 x) (extract 3 1 x))",
            "(concat (extract 6 4 x) (extract 2 1 x))",
        ),
        (
            ConcatSign,
            "(concat (sext 8 (extract 7 7 x)) x)",
            "(concat (sext 8 (extract 6 6 x)) x)",
        ),
        (
            ConcatNot,
            "(concat (not (extract 7 4 x)) (not (extract 3 0 x)))",
            "(concat (not (extract 7 4 x)) (not (extract 2 0 x)))",
        ),
        (
            ConcatIte,
            "(concat (ite p 3:8 5:8) (ite p 1:8 7:8))",
            "(concat (ite p 3:8 5:8) (ite q 1:8 7:8))",
        ),
        (ExtractAll, "(extract 7 0 x)", "(extract 6 0 x)"),
        (
            ExtractExtract,
            "(extract 2 1 (extract 6 2 x))",
            "(extract 2 1 (add x y))",
        ),
        (
            ExtractConcat,
            "(extract 9 2 (concat x y))",
            "(extract 6 2 (add x y))",
        ),
        (
            ExtractExtend,
            "(extract 9 2 (sext 16 x))",
            "(extract 6 2 (add x y))",
        ),
        (ExtractNot, "(extract 6 2 (not x))", "(extract 6 2 (neg x))"),
        (
            ExtractMask,
            "(extract 3 0 (or 240:8 x))",
            "(extract 4 0 (or 240:8 x))",
        ),
        (
            ExtractLow,
            "(extract 7 0 (add (zext 16 x) (sext 16 y)))",
            "(extract 6 0 (add x y))",
        ),
        (
            ExtractIte,
            "(extract 3 0 (ite p 5:8 6:8))",
            "(extract 3 0 (ite p 5:8 x))",
        ),
        (
            ExtendExtend,
            "(zext 32 (zext 16 x))",
            "(zext 32 (sext 16 x))",
        ),
        (
            SextPositive,
            "(sext 32 (zext 16 x))",
            "(sext 32 (sext 16 x))",
        ),
        (CompareSelf, "(ult x x)", "(ult x y)"),
        (CompareBool, "(slt p q)", "(slt x y)"),
        (CompareEnds, "(ult x 0:8)", "(ult x 1:8)"),
        (EqBool, "(eq p q)", "(eq x y)"),
        (EqOpposite, "(eq x (not x))", "(eq x (not y))"),
        (EqExtend, "(eq (zext 16 x) 300:16)", "(eq (mul x y) 30:8)"),
        (EqConcat, "(eq (concat x y) 300:16)", "(eq (mul x y) 30:8)"),
        (EqShift, "(eq (add 3:8 x) 7:8)", "(eq (add y x) 7:8)"),
        (EqDifference, "(eq (sub x y) 0:8)", "(eq (sub x y) 1:8)"),
        (EqMul, "(eq (mul 3:8 x) 7:8)", "(eq (mul 6:8 x) 4:8)"),
        (EqOrZero, "(eq (or x y) 0:8)", "(eq (or x y) 1:8)"),
        (EqChoice, "(eq (ite p 3:8 x) 3:8)", "(eq (ite p y x) 3:8)"),
        (EqPart, "(eq (add x y) x)", "(eq (add x y) z)"),
        (
            EqSame,
            "(eq (add x y) (add x z))",
            "(eq (mul x y) (mul x z))",
        ),
        (UltEnds, "(ult x 1:8)", "(ult x 2:8)"),
        (UltExtend, "(ult (zext 16 x) 40:16)", "(ult (mul x y) 40:8)"),
        (
            UltConcat,
            "(ult (concat x y) 512:16)",
            "(ult (concat x y) 513:16)",
        ),
        (UltNot, "(ult (not x) 40:8)", "(ult (neg x) 40:8)"),
        (
            UltShift,
            "(ult (add 5:16 (zext 16 x)) 40:16)",
            "(ult (add -5:16 (zext 16 x)) 40:16)",
        ),
        (
            OrderChoice,
            "(ult (ite p 3:8 x) 40:8)",
            "(ult (ite p y x) 40:8)",
        ),
        (
            OrderSame,
            "(ult (sext 16 x) (sext 16 y))",
            "(ult (zext 16 x) (sext 16 y))",
        ),
        (SltUnsigned, "(slt (zext 16 x) 40:16)", "(slt x 40:8)"),
        (
            SltSigns,
            "(slt (or 128:8 x) (lshr y 1:8))",
            "(slt (or 64:8 x) (lshr y 1:8))",
        ),
        (SltZero, "(slt x 0:8)", "(slt x 1:8)"),
        (SltExtend, "(slt (sext 16 x) 40:16)", "(slt (mul x y) 40:8)"),
        (
            SltConcat,
            "(slt (concat x y) 512:16)",
            "(slt (concat x y) 513:16)",
        ),
        (SltNot, "(slt (not x) 40:8)", "(slt (neg x) 40:8)"),
        (SltEnds, "(slt x -127:8)", "(slt x -126:8)"),
        (IteConst, "(ite 1:1 x y)", "(ite p x y)"),
        (IteSame, "(ite p x x)", "(ite p x y)"),
        (IteNot, "(ite (not p) x y)", "(ite p x y)"),
        (IteBool, "(ite p 1:1 q)", "(ite p r q)"),
        (IteXor, "(ite p q (not q))", "(ite p q (not r))"),
        (IteIte, "(ite p (ite p x y) z)", "(ite p (ite q x y) z)"),
        (IteMerge, "(ite p x (ite q x y))", "(ite p x (ite q z y))"),
        (IteEq, "(ite (eq x y) x y)", "(ite (eq x y) x z)"),
        (IteExtend, "(ite p -1:8 0:8)", "(ite p 2:8 0:8)"),
        (
            IteNarrow,
            "(ite p (zext 16 x) 200:16)",
            "(ite p (zext 16 x) 300:16)",
        ),
        (
            IteShared,
            "(ite p (concat x y) (concat x z))",
            "(ite p (concat x y) (concat z (add x y)))",
        ),
        (
            SelectConst,
            "(select (bytes 5 6 7) 2:64)",
            "(select (bytes 5 6 7) i)",
        ),
        (
            SelectStore,
            "(select (store A i x) i)",
            "(select (store A i x) j)",
        ),
        (
            SelectPast,
            "(select (store A (add 1:64 i) x) (add 2:64 i))",
            "(select (store A (add 1:64 i) x) (add 2:64 j))",
        ),
        (
            StoreStore,
            "(store (store A i x) i y)",
            "(store (store A i x) j y)",
        ),
        (
            StoreSelect,
            "(store A i (select A i))",
            "(store A i (select A j))",
        ),
        (IntDivision, "(idiv k 1)", "(idiv k 2)"),
        (
            IntParity,
            "(eq (imul 2 k) (iadd (imul 4 l) (int 3)))",
            "(eq (imul 2 k) (iadd (imul 4 l) (int 6)))",
        ),
        (FpBits, "(bits (float i))", "(bits F)"),
        (BitsOfSign, "(bits (fneg F))", "(bits (fsqrt F))"),
        (
            SignOfBits,
            "(float (bits (fneg F)))",
            "(float (bits (fsqrt F)))",
        ),
        (BitsOfIte, "(bits (ite p F G))", "(bits (fadd F G))"),
        (FnegFneg, "(fneg (fneg F))", "(fneg (fabs F))"),
        (FabsSign, "(fabs (fneg F))", "(fabs (fsqrt F))"),
        (Widened, "(single (long (fsqrt F)))", "(single (long F))"),
        (FcmpNegated, "(fult F G)", "(folt F G)"),
        (FcmpSwapped, "(fogt F G)", "(folt F G)"),
        (FcmpSelf, "(foeq F F)", "(foeq F G)"),
    ]
};

struct World {
    pool: Pool,
    names: BTreeMap<&'static str, Term>,
}

impl World {
    fn new() -> World {
        let mut pool = Pool::new();
        let mut names = BTreeMap::new();
        let bits = |width| Sort::BitVec(width);
        let array = Sort::Array { index: 64, elem: 8 };
        let double = Sort::Float(FloatFormat::DOUBLE);
        for (group, sort) in [
            (&["p", "q", "r"][..], bits(1)),
            (&["x", "y", "z"], bits(8)),
            (&["i", "j"], bits(64)),
            (&["u", "v"], bits(128)),
            (&["A"], array),
            (&["F", "G"], double),
            (&["k", "l"], Sort::Int),
        ] {
            for name in group {
                let symbol = pool.new_symbol(name, sort);
                names.insert(*name, pool.symbol_term(symbol));
            }
        }
        World { pool, names }
    }

    /// Parses and builds a term. `before` runs just before the outermost constructor.
    fn build(&mut self, text: &str, before: &mut dyn FnMut(&Pool)) -> Term {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut stack: Vec<Vec<&str>> = vec![];
        let mut values: Vec<Vec<Term>> = vec![];
        for token in spaced.split_whitespace() {
            match token {
                "(" => {
                    stack.push(vec![]);
                    values.push(vec![]);
                }
                ")" => {
                    let (words, args) = (stack.pop().unwrap(), values.pop().unwrap());
                    if stack.is_empty() {
                        before(&self.pool);
                    }
                    let t = self.apply(words[0], &words[1..], &args);
                    match values.last_mut() {
                        Some(outer) => outer.push(t),
                        None => return t,
                    }
                }
                _ => match token.split_once(':') {
                    Some((value, width)) => {
                        let value = value.parse::<i64>().unwrap() as u64;
                        let t = self.pool.bv(width.parse().unwrap(), value);
                        values.last_mut().unwrap().push(t);
                    }
                    None => match self.names.get(token) {
                        Some(&t) => values.last_mut().unwrap().push(t),
                        None => stack.last_mut().unwrap().push(token),
                    },
                },
            }
        }
        panic!("unbalanced: {text}");
    }

    fn apply(&mut self, op: &str, words: &[&str], args: &[Term]) -> Term {
        let p = &mut self.pool;
        let n = |k: usize| words[k].parse::<u32>().unwrap();
        let a = args.first().copied().unwrap_or(Term::NONE);
        let b = args.get(1).copied().unwrap_or(Term::NONE);
        match op {
            "not" => p.not(a),
            "neg" => p.neg(a),
            "add" => p.add(a, b),
            "sub" => p.sub(a, b),
            "mul" => p.mul(a, b),
            "udiv" => p.udiv(a, b),
            "sdiv" => p.sdiv(a, b),
            "urem" => p.urem(a, b),
            "srem" => p.srem(a, b),
            "shl" => p.shl(a, b),
            "lshr" => p.lshr(a, b),
            "ashr" => p.ashr(a, b),
            "and" => p.and(a, b),
            "or" => p.or(a, b),
            "xor" => p.xor(a, b),
            "concat" => p.concat(a, b),
            "extract" => p.extract(n(0), n(1), a),
            "zext" => p.zext(n(0), a),
            "sext" => p.sext(n(0), a),
            "eq" => p.eq(a, b),
            "ult" => p.ult(a, b),
            "slt" => p.slt(a, b),
            "ite" => p.ite(a, b, args[2]),
            "bytes" => {
                let content: Vec<u8> = words.iter().map(|w| w.parse().unwrap()).collect();
                p.array_bytes(&content)
            }
            "select" => p.select(a, b),
            "store" => p.store(a, b, args[2]),
            "int" => p.int(&words[0].parse().unwrap()),
            "iadd" => p.int_add(a, b),
            "imul" => p.int_scale(&words[0].parse().unwrap(), a),
            "idiv" => p.int_div(a, &words[0].parse().unwrap()),
            "float" => p.fp_from_bits(FloatFormat::DOUBLE, a),
            "bits" => p.fp_to_bits(a),
            "fadd" => p.fadd(a, b),
            "fneg" => p.fneg(a),
            "fabs" => p.fabs(a),
            "single" => p.fp_to_fp(FloatFormat::SINGLE, a),
            "long" => p.fp_to_fp(FloatFormat::X87, a),
            "fsqrt" => p.fsqrt_rounded(RoundingMode::TowardZero, a),
            "folt" => p.fcmp(FloatPredicate::Olt, a, b),
            "fogt" => p.fcmp(FloatPredicate::Ogt, a, b),
            "fult" => p.fcmp(FloatPredicate::Ult, a, b),
            "foeq" => p.fcmp(FloatPredicate::Oeq, a, b),
            _ => panic!("no operator {op}"),
        }
    }
}

/// How often `rule` fires in the outermost constructor of `text`.
fn fired(rule: Rule, text: &str) -> u64 {
    let count = |pool: &Pool| pool.rule_counts().find(|(r, _)| *r == rule).unwrap().1;
    let mut world = World::new();
    let mut before = 0;
    world.build(text, &mut |pool| before = count(pool));
    count(&world.pool) - before
}

#[test]
fn every_rule_has_an_example_that_fires_and_a_near_miss_that_does_not() {
    let mut failures = vec![];
    for &(rule, fires, misses) in EXAMPLES {
        if fired(rule, fires) == 0 {
            failures.push(format!("{} does not fire on {fires}", rule.name()));
        }
        if fired(rule, misses) > 0 {
            failures.push(format!("{} fires on {misses}", rule.name()));
        }
    }
    for rule in Rule::ALL {
        // The depth limit is tested on deep terms.
        if *rule != Rule::DepthLimit && !EXAMPLES.iter().any(|(r, ..)| r == rule) {
            failures.push(format!("{} has no example", rule.name()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn names_of_rules_are_distinct_and_say_something() {
    let mut names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Rule::COUNT);
    assert!(Rule::ALL.iter().all(|rule| rule.says().len() > 5));
}

/// Terms that must come out the same: what compiled C does to bytes and undoes again.
const EQUAL: &[(&str, &str)] = &[
    // bytes stored and loaded again
    (
        "(concat (extract 15 8 (add (zext 16 x) (zext 16 y))) (extract 7 0 (add (zext 16 x) (zext 16 y))))",
        "(add (zext 16 x) (zext 16 y))",
    ),
    (
        "(concat (extract 15 8 (sext 16 x)) (extract 7 0 (sext 16 x)))",
        "(sext 16 x)",
    ),
    (
        "(concat (extract 63 32 i) (concat (extract 31 8 i) (extract 7 0 i)))",
        "(add i 0:64)",
    ),
    (
        "(concat (concat (extract 63 32 i) (extract 31 8 i)) (extract 7 0 i))",
        "(add i 0:64)",
    ),
    (
        "(concat (extract 15 8 (not (concat x y))) (extract 7 0 (not (concat x y))))",
        "(not (concat x y))",
    ),
    (
        "(concat (extract 15 8 (and (concat x y) 511:16)) (extract 7 0 (and (concat x y) 511:16)))",
        "(and (concat x y) 511:16)",
    ),
    (
        "(concat (extract 15 8 (ite p 300:16 5:16)) (extract 7 0 (ite p 300:16 5:16)))",
        "(ite p 300:16 5:16)",
    ),
    // a 16-bit load spelt with shifts
    (
        "(or (shl (zext 32 x) 8:32) (zext 32 y))",
        "(zext 32 (concat x y))",
    ),
    (
        "(add (mul (zext 32 x) 256:32) (zext 32 y))",
        "(zext 32 (concat x y))",
    ),
    // C's int promotion of chars
    ("(eq (zext 32 x) 97:32)", "(eq x 97:8)"),
    ("(slt (sext 32 x) 97:32)", "(slt x 97:8)"),
    ("(slt (zext 32 x) (zext 32 y))", "(ult x y)"),
    ("(eq (zext 32 (eq x 3:8)) 0:32)", "(not (eq x 3:8))"),
    ("(ne (ite (eq x 3:8) 1:32 0:32) 0:32)", "(eq x 3:8)"),
    ("(ne (zext 8 p) 0:8)", "(and p p)"),
    ("(slt (xor (sext 32 p) -1:32) 0:32)", "(not p)"),
    // isdigit and tolower
    (
        "(ult (add -48:32 (zext 32 x)) 10:32)",
        "(ult (add -48:32 (zext 32 x)) 10:32)",
    ),
    // wide
    (
        "(extract 63 0 (or (zext 128 i) (shl (zext 128 j) 64:128)))",
        "(add i 0:64)",
    ),
    (
        "(extract 127 64 (or (zext 128 i) (shl (zext 128 j) 64:128)))",
        "(add j 0:64)",
    ),
    ("(and (concat i j) (zext 128 -1:64))", "(zext 128 j)"),
    // negation as the sign
    ("(eq (sub 0:8 x) 0:8)", "(eq x 0:8)"),
];

#[test]
fn compiled_idioms_come_out_as_the_plain_term() {
    let mut world = World::new();
    let mut failures = vec![];
    for (left, right) in EQUAL {
        let fix = |text: &str| match text.strip_prefix("(ne ") {
            Some(rest) => format!("(not (eq {rest})"),
            None => text.to_string(),
        };
        let a = world.build(&fix(left), &mut |_| {});
        let b = world.build(&fix(right), &mut |_| {});
        if a != b {
            let pool = &world.pool;
            failures.push(format!(
                "{left}\n  is {}\n not {}",
                pool.display(a),
                pool.display(b)
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
