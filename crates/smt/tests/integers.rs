//! Linear integer arithmetic through the solver: generated formulas against brute force, and
//! against z3 where its Python package is there (see `testkit::solvers`); `POLYPATH_ORACLE_COUNT` is the
//! number of formulas.

use polypath_smt::ScriptSolver;
use solver::{
    Budget, Model, NoTrials, Origin, Outcome, PathCondition, SolverOptions, Technique, Trials,
};
use term::{BigInt, Evaluator, Pool, Sort, Symbol, Term};
use testkit::Random;

/// Random formulas over integers and Booleans.
struct Formulas<'p> {
    pool: &'p mut Pool,
    random: Random,
    ints: Vec<Symbol>,
    bools: Vec<Symbol>,
    size: i64,
}

impl Formulas<'_> {
    fn next(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    fn number(&mut self, size: i64) -> BigInt {
        BigInt::from(self.next(2 * size as u64 + 1) as i64 - size)
    }

    fn symbol(&mut self) -> Term {
        let n = self.ints.len() as u64;
        let i = self.next(n) as usize;
        let symbol = self.ints[i];
        self.pool.symbol_term(symbol)
    }

    fn integer(&mut self, depth: u32) -> Term {
        if depth == 0 {
            return self.symbol();
        }
        match self.next(8) {
            0 => {
                let value = self.number(self.size);
                self.pool.int(&value)
            }
            1 => {
                let (x, k) = (
                    self.integer(depth - 1),
                    BigInt::from(1 + self.next(6) as i64),
                );
                self.pool.int_div(x, &k)
            }
            2 => {
                let (x, k) = (
                    self.integer(depth - 1),
                    BigInt::from(1 + self.next(6) as i64),
                );
                self.pool.int_mod(x, &k)
            }
            3 => {
                let c = self.formula(depth - 1);
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                self.pool.ite(c, a, b)
            }
            _ => {
                let mut sum = self.integer(0);
                for _ in 0..1 + self.next(3) {
                    let (x, k) = (self.integer(depth - 1), self.number(5));
                    let x = self.pool.int_scale(&k, x);
                    sum = self.pool.int_add(sum, x);
                }
                sum
            }
        }
    }

    fn formula(&mut self, depth: u32) -> Term {
        if depth == 0 {
            let n = self.bools.len() as u64;
            let i = self.next(n) as usize;
            let symbol = self.bools[i];
            return self.pool.symbol_term(symbol);
        }
        let (a, b) = match self.next(9) {
            0..=4 => {
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                return match self.next(4) {
                    0 => self.pool.eq(a, b),
                    1 => {
                        let equal = self.pool.eq(a, b);
                        self.pool.not(equal)
                    }
                    2 => self.pool.int_lt(a, b),
                    _ => self.pool.int_le(a, b),
                };
            }
            _ => (self.formula(depth - 1), self.formula(depth - 1)),
        };
        match self.next(4) {
            0 => self.pool.and(a, b),
            1 => self.pool.or(a, b),
            2 => self.pool.xor(a, b),
            _ => self.pool.not(a),
        }
    }
}

fn formulas(pool: &mut Pool, seed: u64, ints: usize, bounded: Option<i64>) -> Vec<Term> {
    let names: Vec<String> = (0..ints).map(|i| format!("x{i}")).collect();
    let ints: Vec<Symbol> = names
        .iter()
        .map(|n| pool.new_symbol(n, Sort::Int))
        .collect();
    let bools: Vec<Symbol> = ["p", "q"]
        .map(|n| pool.new_symbol(n, Sort::BitVec(1)))
        .to_vec();
    let mut g = Formulas {
        pool,
        random: Random::new(seed),
        ints: ints.clone(),
        bools,
        size: bounded.unwrap_or(60),
    };
    let count = 2 + g.next(5);
    let mut all: Vec<Term> = (0..count).map(|_| g.formula(3)).collect();
    if let Some(size) = bounded {
        for symbol in ints {
            let x = pool.symbol_term(symbol);
            let (low, high) = (
                pool.int(&BigInt::from(-size)),
                pool.int(&BigInt::from(size)),
            );
            all.push(pool.int_le(low, x));
            all.push(pool.int_le(x, high));
        }
    }
    all.retain(|&t| t != Term::TRUE);
    all
}

fn solve(pool: &mut Pool, conditions: &[Term], trials: &mut dyn Trials) -> Outcome {
    let mut solver = ScriptSolver::new(SolverOptions::default());
    let mut pc = PathCondition::new();
    for &c in conditions {
        solver.base.push(pool, &mut pc, c, Origin::Branch);
    }
    let budget = Budget {
        conflicts: 20_000,
        ..Budget::default()
    };
    let outcome = solver.base.solve(pool, &pc, &budget, trials);
    assert_eq!(solver.base.stats().models_rejected, 0);
    outcome
}

fn holds(pool: &Pool, conditions: &[Term], model: &Model) -> bool {
    Evaluator::new()
        .first_false(pool, conditions, model)
        .is_none()
}

#[test]
fn bounded_formulas_agree_with_brute_force() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..400 {
        let mut pool = Pool::new();
        let size = 3;
        let conditions = formulas(&mut pool, seed, 2, Some(size));
        let mut exists = false;
        let mut evaluator = Evaluator::new();
        for code in 0..(7 * 7 * 4) {
            let mut model = Model::new();
            model.set_int(Symbol(0), BigInt::from(code % 7 - size));
            model.set_int(Symbol(1), BigInt::from(code / 7 % 7 - size));
            model.set(Symbol(2), ((code / 49) & 1) as u64);
            model.set(Symbol(3), (code / 98) as u64);
            exists |= evaluator.first_false(&pool, &conditions, &model).is_none();
        }
        match solve(&mut pool, &conditions, &mut NoTrials) {
            Outcome::Sat(model) => {
                assert!(holds(&pool, &conditions, &model));
                sat += 1;
            }
            Outcome::Unsat(core) => {
                assert!(!exists, "seed {seed}");
                let again = solve(&mut pool, &core, &mut NoTrials);
                assert!(matches!(again, Outcome::Unsat(_)), "core of seed {seed}");
                unsat += 1;
            }
            Outcome::Unknown(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(sat > 50 && unsat > 50, "{sat} {unsat}");
}

#[derive(Default)]
struct Seen(Vec<Model>);

impl Trials for Seen {
    fn tried(&mut self, a: &Model, by: Technique) {
        if by == Technique::Simplex {
            self.0.push(a.clone());
        }
    }
}

#[test]
fn assignments_before_pivots_are_partial_solutions() {
    // x + y >= 2, 2y - x >= 1, 2x - y >= 0: what the simplex tries takes other branches.
    let mut pool = Pool::new();
    let [x, y] = ["x", "y"].map(|n| pool.new_symbol(n, Sort::Int));
    let (x, y) = (pool.symbol_term(x), pool.symbol_term(y));
    let mut at_least = |a: i64, b: i64, low: i64| {
        let ax = pool.int_scale(&BigInt::from(a), x);
        let by = pool.int_scale(&BigInt::from(b), y);
        let sum = pool.int_add(ax, by);
        let low = pool.int(&BigInt::from(low));
        pool.int_le(low, sum)
    };
    let conditions = [at_least(1, 1, 2), at_least(-1, 2, 1), at_least(2, -1, 0)];
    let mut seen = Seen::default();
    let outcome = solve(&mut pool, &conditions, &mut seen);
    assert!(matches!(outcome, Outcome::Sat(_)));
    let mut evaluator = Evaluator::new();
    let prefixes: Vec<Option<usize>> = seen
        .0
        .iter()
        .map(|m| evaluator.first_false(&pool, &conditions, m))
        .collect();
    assert!(prefixes.contains(&Some(0)), "{prefixes:?}");
    assert!(prefixes.contains(&None), "{prefixes:?}");
    assert!(prefixes.len() >= 3, "{prefixes:?}");
}

/// Assignments of one technique.
struct OfTechnique(Technique, Vec<Model>);

impl Trials for OfTechnique {
    fn tried(&mut self, a: &Model, by: Technique) {
        if by == self.0 {
            self.1.push(a.clone());
        }
    }
}

/// When the Boolean search backtracks, its trail is a trial, with the simplex's values for the integers: assignments that
/// satisfy conditions which the start violates.
#[test]
fn trails_of_the_boolean_search_are_partial_solutions() {
    let (mut shown, mut further) = (0, 0);
    for seed in 0..60 {
        let mut pool = Pool::new();
        let conditions = formulas(&mut pool, 5_000_000 + seed, 6, None);
        let mut trails = OfTechnique(Technique::Trail, Vec::new());
        let listened = solve(&mut pool, &conditions, &mut trails);
        let alone = solve(&mut pool, &conditions, &mut NoTrials);
        let is_sat = |outcome: &Outcome| matches!(outcome, Outcome::Sat(_));
        if !matches!(listened, Outcome::Unknown(_)) && !matches!(alone, Outcome::Unknown(_)) {
            assert_eq!(is_sat(&listened), is_sat(&alone), "seed {seed}");
        }
        shown += trails.1.len();
        let mut evaluator = Evaluator::new();
        let mut prefix = |model: &Model| {
            let violated = evaluator.first_false(&pool, &conditions, model);
            violated.unwrap_or(conditions.len())
        };
        let start = prefix(&Model::new());
        let prefixes = trails.1.iter().map(&mut prefix);
        further += prefixes.filter(|&at| at > start).count();
    }
    assert!(shown > 30, "{shown} trails");
    assert!(
        further > 10,
        "{further} of {shown} satisfy more than the start"
    );
}

#[test]
fn unbounded_formulas_agree_with_z3() {
    let count = std::env::var("POLYPATH_ORACLE_COUNT");
    let count: u64 = count.ok().and_then(|n| n.parse().ok()).unwrap_or(120);
    let dir = std::env::temp_dir().join(format!("polypath-integers-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let mut mine = Vec::new();
    for seed in 0..count {
        let mut pool = Pool::new();
        let conditions = formulas(&mut pool, 1_000_000 + seed, 2 + (seed % 5) as usize, None);
        // Booleans are printed as bit-vectors, which the logic named does not have.
        let text = term::to_smt2(&pool, &conditions).replace("QF_LIA", "ALL");
        std::fs::write(dir.join(format!("{seed:06}.smt2")), text).unwrap();
        mine.push(match solve(&mut pool, &conditions, &mut NoTrials) {
            Outcome::Sat(model) => {
                assert!(holds(&pool, &conditions, &model));
                "sat"
            }
            Outcome::Unsat(_) => "unsat",
            Outcome::Unknown(_) => "unknown",
        });
    }
    if let Some(verdicts) = testkit::solvers::ask(&dir, &["z3"], 5000) {
        let mut open = 0;
        for (seed, (a, verdict)) in mine.iter().zip(&verdicts).enumerate() {
            let b = &verdict.answer;
            open += (*a == "unknown" && b != "unknown") as usize;
            let differ = *a != "unknown" && b != "unknown" && a != b;
            assert!(!differ, "seed {seed}: {a}, z3 {b}");
        }
        eprintln!("{} formulas, {open} open that z3 decides", mine.len());
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn high_bits_of_a_quotient_are_no_digits() {
    // Each of the 2^100000's bits as a term would be a number of that length.
    let pool = &mut Pool::new();
    let [x, y] = ["x", "y"].map(|n| pool.new_symbol(n, Sort::Int));
    let [a, b] = [x, y].map(|s| pool.symbol_term(s));
    let half = pool.int_div(a, &BigInt::from(2));
    let rest = pool.int_mod(half, &(BigInt::from(1) << 100_000));
    let five = pool.int(&5.into());
    let (equal, above) = (pool.eq(rest, b), pool.int_lt(five, b));
    let mut solver = ScriptSolver::new(SolverOptions::default());
    let mut path = PathCondition::new();
    for t in [equal, above] {
        solver.base.push(pool, &mut path, t, Origin::Assume);
    }
    let outcome = solver
        .base
        .solve(pool, &path, &Budget::default(), &mut NoTrials);
    let Outcome::Sat(model) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(model.int(y) > BigInt::from(5));
}
