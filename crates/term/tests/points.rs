//! Conditions at many points against one evaluation for each of them.

use crate::common::{BINARY, O, Random, build, interesting};
use polypath_term::{Assignment, Evaluator, Points, Pool, Sort, Symbol, Term, work};

const PLENTY: u64 = u64::MAX;

fn check(
    pool: &Pool,
    points: &mut Points,
    condition: Term,
    evaluator: &mut Evaluator,
) -> Box<[u64]> {
    let truth = points
        .truth(pool, condition, &mut PLENTY.clone())
        .expect("no limit");
    assert_eq!(truth.len() * 64, points.len().max(1).next_multiple_of(256));
    for point in 0..truth.len() * 64 {
        let bit = truth[point / 64] >> (point % 64) & 1;
        if point >= points.len() {
            assert_eq!(bit, 0, "a bit beyond the points");
            continue;
        }
        let mut assignment = Assignment::new();
        points
            .at(point)
            .for_each(|(symbol, value)| assignment.set(symbol, value));
        let expected = evaluator.eval(pool, condition, &assignment);
        assert_eq!(bit, expected, "{} at {point}", pool.display(condition));
    }
    truth
}

/// Lists that are multiplied and reduced, with conditions on terms that grow.
#[test]
fn truths_agree_with_evaluation() {
    let mut random = Random::new(11);
    let mut evaluator = Evaluator::new();
    for round in 0..60 {
        let mut pool = Pool::new();
        let widths = [8, 1 + random.index(10) as u32, 3];
        let symbols: Vec<Symbol> = widths
            .iter()
            .map(|&w| pool.new_symbol("s", Sort::BitVec(w)))
            .collect();
        let content: Vec<u8> = (0..300).map(|_| random.next() as u8).collect();
        let mut array = pool.array_bytes(&content);
        let mut points = Points::one();
        let mut terms: Vec<Term> = Vec::new();
        for (k, &symbol) in symbols.iter().enumerate() {
            let most = 1usize << widths[k].min(6);
            let values: Vec<u16> = (0..1 + random.index(most) as u16).collect();
            points = points.times(symbol, &values);
            let t = pool.symbol_term(symbol);
            terms.push(pool.zext(16, t));
            for _ in 0..12 {
                let [a, b] = [0, 1].map(|_| terms[random.index(terms.len())]);
                let t = match random.index(8) {
                    0 => {
                        let index = pool.zext(64, a);
                        pool.select(array, index)
                    }
                    // Round after round, terms without lanes.
                    1 if round % 4 == 0 => {
                        let (wide, other) = (pool.zext(80, a), pool.bv_wide(80, &[3, 1]));
                        let product = pool.mul(wide, other);
                        pool.extract(75, 60, product)
                    }
                    _ => build(&mut pool, BINARY[random.index(BINARY.len())], &[a, b]),
                };
                terms.push(pool.zext(16, t));
                let limit = pool.bv(16, interesting(16, &mut random)[0]);
                let last = terms[terms.len() - 1];
                let relation = [O::Ult, O::Eq, O::Slt][random.index(3)];
                let condition = build(&mut pool, relation, &[last, limit]);
                let truth = check(&pool, &mut points, condition, &mut evaluator);
                let holds = truth.iter().map(|w| w.count_ones() as usize).sum::<usize>();
                if holds * 2 > points.len() && random.index(3) == 0 {
                    points = points.retain(&truth);
                    assert_eq!(points.len(), holds);
                }
                if random.index(12) == 0 {
                    let relocation = pool.collect(&mut |visit| {
                        terms.iter_mut().for_each(&mut *visit);
                        visit(&mut array);
                    });
                    points.relocate(&relocation);
                }
            }
        }
    }
}

/// Along a path of growing terms, a condition takes the work of what is new.
#[test]
fn what_grows_is_extended() {
    let mut pool = Pool::new();
    let symbols = [0, 1].map(|_| pool.new_symbol("s", Sort::BitVec(8)));
    let [a, b] = symbols.map(|s| pool.symbol_term(s));
    let all: Vec<u16> = (0..256).collect();
    let mut points = symbols
        .iter()
        .fold(Points::one(), |points, &s| points.times(s, &all));
    let mut hash = pool.concat(a, b);
    hash = pool.zext(32, hash);
    let (factor, limit) = (pool.bv(32, 0x0100_0193), pool.bv(32, 1 << 31));
    let mut most = 0;
    for k in 0..300 {
        let mixed = pool.mul(hash, factor);
        let other = pool.bv(32, k);
        hash = pool.xor(mixed, other);
        let condition = pool.ult(hash, limit);
        let before = work::spent();
        points
            .truth(&pool, condition, &mut PLENTY.clone())
            .expect("no limit");
        if k >= 20 {
            most = most.max(work::spent() - before);
        }
    }
    assert!(most <= 64 * 256 * 12, "{most}");
    let mut little = 64 * 256;
    let condition = pool.ult(limit, hash);
    assert!(
        points.truth(&pool, condition, &mut little).is_none(),
        "a limit holds"
    );
}
