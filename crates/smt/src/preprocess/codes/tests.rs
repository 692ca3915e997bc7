use super::*;
use solver::Model;
use solver::{Budget, NoTrials, Origin, Outcome, PathCondition, Solver, SolverOptions};
use term::Evaluator;
use testkit::Random;

fn symbols(pool: &mut Pool, name: &str, sort: Sort, count: usize) -> Vec<Term> {
    let new = |k| {
        let symbol = pool.new_symbol(&format!("{name}{k}"), sort);
        pool.symbol_term(symbol)
    };
    (0..count).map(new).collect()
}

/// The query over codes, and how many symbols have them.
fn shortened(pool: &mut Pool, conjuncts: &[Term]) -> (Preprocess, u64) {
    let mut query = Preprocess::new(pool, conjuncts.to_vec());
    let mut count = 0;
    assert_eq!(shorten(&mut query, pool, &mut count), count > 0);
    (query, count)
}

/// A model found without preprocessing; `None` if there is none.
fn solved(pool: &mut Pool, conjuncts: &[Term]) -> Option<Model> {
    let mut solver = Solver::new(SolverOptions::default());
    let mut path = PathCondition::new();
    for &t in conjuncts {
        solver.push(pool, &mut path, t, Origin::Assume);
    }
    match solver.solve(pool, &path, &Budget::default(), &mut NoTrials) {
        Outcome::Sat(model) => Some(model),
        Outcome::Unsat(_) => None,
        Outcome::Unknown(why) => panic!("undecided: {why:?}"),
    }
}

/// Is the query over codes satisfiable? A model of it is lifted and evaluated.
fn decided(pool: &mut Pool, conjuncts: &[Term], query: &Preprocess) -> bool {
    let Some(mut model) = solved(pool, &query.conjuncts) else {
        return false;
    };
    let mut evaluator = Evaluator::new();
    query.lift(pool, &mut evaluator, &mut model);
    let wrong = evaluator.first_false(pool, conjuncts, &model);
    assert_eq!(wrong, None, "{}", term::to_smt2(pool, conjuncts));
    true
}

/// Words and arrays that are put together at random from a few symbols and constants.
struct Generator {
    words: Vec<Term>,
    indices: Vec<Term>,
    arrays: Vec<Term>,
}

impl Generator {
    fn new(pool: &mut Pool, random: &mut Random) -> Generator {
        let width = random.pick(&[8, 32, 80]);
        let is_one_class = random.below(3) == 0;
        let index = if is_one_class { width } else { 16 };
        let mut words = symbols(pool, "x", Sort::BitVec(width), 3);
        let mut indices = symbols(pool, "i", Sort::BitVec(index), 3);
        let numbers = [0, 1, 7, 200];
        words.push(pool.bv(width, random.pick(&numbers)));
        indices.push(pool.bv(index, random.pick(&numbers)));
        let sort = Sort::Array { index, elem: width };
        let mut arrays = symbols(pool, "a", sort, 2);
        let zero = pool.bv(width, 0);
        arrays.push(pool.array_const(index, width, zero));
        let mut generator = Generator {
            words,
            indices,
            arrays,
        };
        for _ in 0..4 + random.below(6) {
            generator.grow(pool, random, is_one_class);
        }
        generator
    }

    fn grow(&mut self, pool: &mut Pool, random: &mut Random, is_one_class: bool) {
        let (array, index) = (random.pick(&self.arrays), random.pick(&self.indices));
        match random.below(4) {
            0 => {
                let element = pool.select(array, index);
                self.words.push(element);
                if is_one_class {
                    self.indices.push(element);
                }
            }
            1 => {
                let condition = self.condition(pool, random);
                let other = random.pick(&self.arrays);
                self.arrays.push(pool.ite(condition, array, other));
            }
            _ => {
                let value = random.pick(&self.words);
                self.arrays.push(pool.store(array, index, value));
            }
        }
    }

    fn condition(&self, pool: &mut Pool, random: &mut Random) -> Term {
        let kind = random.pick(&[&self.words, &self.indices, &self.arrays, &self.arrays]);
        let [a, b] = [(); 2].map(|()| random.pick(kind));
        let same = pool.eq(a, b);
        if random.below(2) == 0 {
            same
        } else {
            pool.not(same)
        }
    }
}

#[test]
fn the_same_queries_have_models() {
    let mut random = Random::new(11);
    let (mut coded, mut answers) = (0, [0; 2]);
    for _ in 0..400 {
        let pool = &mut Pool::new();
        let generator = Generator::new(pool, &mut random);
        let count = 2 + random.below(5);
        let conjuncts: Vec<Term> = (0..count)
            .map(|_| generator.condition(pool, &mut random))
            .collect();
        let (query, count) = shortened(pool, &conjuncts);
        coded += u64::from(count > 0);
        let original = solved(pool, &conjuncts).is_some();
        let text = term::to_smt2(pool, &conjuncts);
        assert_eq!(decided(pool, &conjuncts, &query), original, "{text}");
        answers[usize::from(original)] += 1;
    }
    assert!(
        coded > 150 && answers[0] > 50 && answers[1] > 50,
        "{coded} {answers:?}"
    );
}

#[test]
fn as_many_values_as_there_are_can_differ() {
    for count in [4, 5] {
        let pool = &mut Pool::new();
        let words = symbols(pool, "x", Sort::BitVec(2), count);
        let other = symbols(pool, "y", Sort::BitVec(9), count);
        let mut conjuncts = Vec::new();
        for all in [&words, &other] {
            for (k, &a) in all.iter().enumerate() {
                for &b in &all[..k] {
                    let same = pool.eq(a, b);
                    conjuncts.push(pool.not(same));
                }
            }
        }
        let (query, coded) = shortened(pool, &conjuncts);
        assert_eq!(coded, count as u64, "the wide ones only");
        assert_eq!(decided(pool, &conjuncts, &query), count == 4);
    }
}

#[test]
fn constants_stay_different_and_keep_their_values() {
    let pool = &mut Pool::new();
    let words = symbols(pool, "x", Sort::BitVec(32), 3);
    let numbers = [2, 7, 8, 1 << 20, u32::MAX.into()];
    let numbers = numbers.map(|n| pool.bv(32, n));
    let mut conjuncts = Vec::new();
    for &x in &words {
        let same: Vec<Term> = numbers.iter().map(|&n| pool.eq(x, n)).collect();
        conjuncts.push(same.into_iter().fold(Term::FALSE, |all, t| pool.or(all, t)));
    }
    for (x, n) in words.iter().zip(&numbers) {
        let same = pool.eq(*x, *n);
        conjuncts.push(pool.not(same));
    }
    let (query, coded) = shortened(pool, &conjuncts);
    assert_eq!(coded, 3);
    assert!(decided(pool, &conjuncts, &query));
}

#[test]
fn what_is_computed_with_stays() {
    let pool = &mut Pool::new();
    let sort = Sort::Array {
        index: 32,
        elem: 32,
    };
    let arrays = symbols(pool, "a", sort, 2);
    let words = symbols(pool, "x", Sort::BitVec(32), 4);
    let read = pool.select(arrays[0], words[0]);
    let written = pool.store(arrays[1], words[1], read);
    let same = pool.eq(written, arrays[0]);
    let different = pool.not(same);
    let (_, coded) = shortened(pool, &[different]);
    assert_eq!(coded, 4);
    // An element that is added to: the indices have codes alone. An index that is added to: the elements have no codes either.
    let sum = pool.add(read, words[2]);
    let small = pool.ult(sum, words[3]);
    let (query, coded) = shortened(pool, &[different, small]);
    assert_eq!(coded, 4, "two indices and two arrays");
    assert!(decided(pool, &[different, small], &query));
    let next = pool.add(words[0], words[1]);
    let near = pool.ult(next, words[3]);
    assert_eq!(shortened(pool, &[different, near]).1, 0);
}
