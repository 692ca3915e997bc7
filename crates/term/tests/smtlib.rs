//! The printed SMT-LIB text means what the terms mean: for a random assignment, "the symbols have
//! these values and some term has another value than evaluation says" must be unsatisfiable, and
//! "… and all terms have these values" satisfiable. Asked of z3 and bitwuzla, where they are there
//! (see `testkit::solvers`).

use crate::common::{BINARY, O, Random, build, interesting};
use polypath_term::{
    ArrayValue, Assignment, Evaluator, FloatFormat, FloatPredicate, Pool, RoundingMode, Sort,
    Symbol, Term, to_smt2,
};
use std::path::Path;

struct Case {
    pool: Pool,
    symbols: Vec<Symbol>,
    assignment: Assignment,
    terms: Vec<Term>,
}

/// The term "`t` is what it is under the assignment"; NONE for a NaN's pattern, which SMT-LIB
/// leaves open.
fn as_evaluated(case: &mut Case, evaluator: &mut Evaluator, t: Term) -> Term {
    let value = evaluator.eval_wide(&case.pool, t, &case.assignment);
    let pool = &mut case.pool;
    let bits = pool.bv_wide(pool.width(t), &value);
    match pool.sort(t) {
        Sort::Float(format) => {
            let float = pool.fp_from_bits(format, bits);
            pool.fp_same(t, float)
        }
        _ => pool.eq(t, bits),
    }
}

fn write(case: &mut Case, folder: &Path, name: &str) {
    let mut evaluator = Evaluator::new();
    let mut facts = vec![];
    for symbol in case.symbols.clone() {
        let t = case.pool.symbol_term(symbol);
        if let Sort::Array { .. } = case.pool.sort(t) {
            let value = case.assignment.array(symbol).unwrap().clone();
            let default = case.pool.bv(8, value.default.low());
            let mut array = case.pool.array_const(64, 8, default);
            for (at, element) in &value.entries {
                let (at, element) = (case.pool.bv(64, at.low()), case.pool.bv(8, element.low()));
                array = case.pool.store(array, at, element);
            }
            facts.push(case.pool.eq(t, array));
        } else {
            facts.push(as_evaluated(case, &mut evaluator, t));
        }
    }
    let mut all = facts.clone();
    let mut some = Term::FALSE;
    for t in case.terms.clone() {
        let right = as_evaluated(case, &mut evaluator, t);
        all.push(right);
        let wrong = case.pool.not(right);
        some = case.pool.or(some, wrong);
    }
    facts.push(some);
    for (conjuncts, verdict) in [(all, "sat"), (facts, "unsat")] {
        let text = to_smt2(&case.pool, &conjuncts);
        std::fs::write(folder.join(format!("{name}.{verdict}.smt2")), text).unwrap();
    }
}

/// Terms over bit-vectors and arrays of all shapes.
fn vectors(random: &mut Random) -> Case {
    let mut pool = Pool::new();
    let widths = [1, 1, 8, 8, 13, 32, 64, 70];
    let mut symbols: Vec<Symbol> = widths
        .iter()
        .map(|&w| {
            pool.new_symbol(
                ["x", "y", "a|b", "?", "bvadd"][random.index(5)],
                Sort::BitVec(w),
            )
        })
        .collect();
    let mut assignment = Assignment::new();
    for (&symbol, &width) in symbols.iter().zip(&widths) {
        assignment.set_wide(symbol, &interesting(width, random));
    }
    let mut terms: Vec<Term> = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
    let array = pool.new_symbol("memory", Sort::Array { index: 64, elem: 8 });
    let entries = (0u64..3)
        .map(|k| (k.into(), (random.index(256) as u64).into()))
        .collect();
    assignment.set_array(
        array,
        ArrayValue {
            default: 5.into(),
            entries,
        },
    );
    symbols.push(array);
    let mut array = pool.symbol_term(array);
    for _ in 0..60 {
        let a = terms[random.index(terms.len())];
        let width = pool.width(a);
        let b = match terms
            .iter()
            .copied()
            .find(|&b| b != a && pool.width(b) == width)
        {
            Some(b) if random.index(3) > 0 => b,
            _ => {
                let value = interesting(width, random);
                pool.bv_wide(width, &value)
            }
        };
        let t = match random.index(14) {
            0 => build(&mut pool, O::Not, &[a]),
            1 => pool.neg(a),
            2 => pool.zext(width + random.index(20) as u32, a),
            3 => pool.sext(width + random.index(20) as u32, a),
            4 => {
                let hi = random.index(width as usize) as u32;
                let lo = random.index(hi as usize + 1) as u32;
                pool.extract(hi, lo, a)
            }
            5 if width < 60 => pool.concat(a, b),
            6 => {
                let c = terms[random.index(2)];
                pool.ite(c, a, b)
            }
            7 => {
                let index = if width > 64 {
                    pool.extract(63, 0, a)
                } else {
                    pool.zext(64, a)
                };
                let base = if random.index(2) == 0 {
                    array
                } else {
                    pool.array_bytes(&[7, 0, 9, 200])
                };
                let element = terms[2];
                array = pool.store(base, index, element);
                let index = pool.zext(64, element);
                pool.select(array, index)
            }
            _ => build(&mut pool, BINARY[random.index(BINARY.len())], &[a, b]),
        };
        if pool.size_hint(t) < 300 {
            terms.push(t);
        }
    }
    Case {
        pool,
        symbols,
        assignment,
        terms,
    }
}

/// Each float operator over symbols of one format.
fn floats(format: FloatFormat, random: &mut Random) -> Case {
    let mut pool = Pool::new();
    let width = format.bits();
    let symbols = vec![
        pool.new_symbol("f", Sort::Float(format)),
        pool.new_symbol("g", Sort::Float(format)),
        pool.new_symbol("h", Sort::Float(format)),
        pool.new_symbol("n", Sort::BitVec(32)),
        pool.new_symbol("bits", Sort::BitVec(width)),
    ];
    let mut assignment = Assignment::new();
    let pattern = |random: &mut Random| {
        // Near one, so that operators have something to do; sometimes anything.
        let fraction = format.precision() - 1;
        let bias = (1u128 << (format.exponent_bits() - 1)) - 1;
        let mut value = (random.next() as u128) << 64 | random.next() as u128;
        value &= u128::MAX >> (128 - width);
        if random.index(4) > 0 {
            let start = width - 1 - format.exponent_bits();
            let sign = value & 1 << (width - 1);
            value = sign
                | (bias + random.index(6) as u128 - 2) << start
                | value & ((1 << fraction) - 1);
        }
        if format == FloatFormat::X87 {
            let integer = 1u128 << 63;
            value = if value >> 64 & 0x7fff == 0 {
                value & !integer
            } else {
                value | integer
            };
        }
        [value as u64, (value >> 64) as u64]
    };
    for &symbol in [&symbols[..3], &symbols[4..]].concat().iter() {
        assignment.set_wide(symbol, &pattern(random));
    }
    assignment.set(symbols[3], random.next() & 0xffff_ffff >> random.index(32));
    let t: Vec<Term> = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
    let (f, g, h, n) = (t[0], t[1], t[2], t[3]);
    let rm = RoundingMode::ALL[random.index(5)];
    let small = width <= 32;
    let mut terms = vec![
        pool.fadd_rounded(rm, f, g),
        pool.fsub_rounded(rm, f, g),
        pool.fmul_rounded(rm, f, g),
        pool.fneg(f),
        pool.fabs(f),
        pool.fround_to_integral(rm, f),
        pool.fp_to_sint_rounded(rm, 32, f),
        pool.fp_to_uint_rounded(rm, 8, f),
        pool.sint_to_fp_rounded(rm, format, n),
        pool.uint_to_fp_rounded(rm, format, n),
        pool.fp_from_bits(format, t[4]),
    ];
    if small {
        terms.extend([
            pool.fdiv_rounded(rm, f, g),
            pool.fma_rounded(rm, f, g, h),
            pool.fsqrt_rounded(rm, f),
        ]);
    }
    if format == FloatFormat::HALF {
        terms.extend([pool.frem(f, g), pool.fremainder(f, g)]);
    }
    for &target in FloatFormat::NAMED {
        terms.push(pool.fp_to_fp_rounded(rm, target, f));
    }
    for predicate in FloatPredicate::ALL {
        terms.push(pool.fcmp(predicate, f, g));
        terms.push(pool.fcmp(predicate, f, f));
    }
    let mut evaluator = Evaluator::new();
    let quiet = |x: Term, evaluator: &mut Evaluator, pool: &mut Pool| {
        let test = pool.fcmp(FloatPredicate::Ord, x, x);
        evaluator.eval(pool, test, &assignment) == 1
    };
    if quiet(f, &mut evaluator, &mut pool) && quiet(g, &mut evaluator, &mut pool) {
        terms.extend([pool.fmin(f, g), pool.fmax(f, g), pool.fp_to_bits(f)]);
        let sum = pool.fadd(f, g);
        if quiet(sum, &mut evaluator, &mut pool) {
            terms.push(pool.fp_to_bits(sum));
        }
    }
    Case {
        pool,
        symbols,
        assignment,
        terms,
    }
}

#[test]
fn other_solvers_agree_with_evaluation() {
    let folder = std::env::temp_dir().join(format!("polypath-term-smtlib-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut random = Random::new(5);
    for k in 0..12 {
        write(&mut vectors(&mut random), &folder, &format!("vectors{k}"));
    }
    for &format in FloatFormat::NAMED {
        for k in 0..3 {
            write(
                &mut floats(format, &mut random),
                &folder,
                &format!("{format:?}{k}"),
            );
        }
    }
    let Some(verdicts) = testkit::solvers::ask(&folder, &["z3", "bitwuzla"], 20_000) else {
        std::fs::remove_dir_all(&folder).unwrap();
        return;
    };
    let (mut failures, mut answers) = (vec![], 0);
    for verdict in verdicts {
        let expected = if verdict.file.ends_with(".unsat.smt2") {
            "unsat"
        } else {
            "sat"
        };
        match &verdict.answer[..] {
            "unknown" => println!("unknown: {verdict:?}"),
            // bitwuzla takes the formats of IEEE only.
            error if error.contains("Unsupported experimental floating-point format") => {}
            answer if answer == expected => answers += 1,
            _ => failures.push(format!("{verdict:?}")),
        }
    }
    println!("{answers} verdicts as expected");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The whole text of a small query.
#[test]
fn the_text_of_a_small_query() {
    let mut pool = Pool::new();
    let (a, b) = (
        pool.new_symbol("a", Sort::BitVec(8)),
        pool.new_symbol("b", Sort::BitVec(1)),
    );
    let (x, p) = (pool.symbol_term(a), pool.symbol_term(b));
    let square = pool.mul(x, x);
    let sum = pool.add(square, x);
    let less = pool.ult(sum, square);
    let either = pool.or(less, p);
    let wide = pool.zext(8, either);
    let differ = pool.ne(wide, x);
    let text = to_smt2(&pool, &[either, differ]);
    let expected = "\
(set-logic QF_BV)
(declare-const a (_ BitVec 8))
(declare-const b (_ BitVec 1))
(define-fun ?1 () (_ BitVec 8) (bvmul a a))
(define-fun ?2 () Bool (or (= b #b1) (bvult (bvadd a ?1) ?1)))
(assert ?2)
(assert (not (= a ((_ zero_extend 7) (ite ?2 #b1 #b0)))))
(check-sat)
";
    assert_eq!(text, expected);
}
