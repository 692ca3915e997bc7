//! No pass recurses over terms: each one runs on terms that are 10^6 deep, on a small stack.

use polypath_term::{
    Assignment, Evaluator, Pool, Printer, Scratch, Sort, Substitution, Tape, Term, substitute,
    to_smt2,
};

const DEPTH: u64 = 1_000_000;

/// Runs `test` on a thread whose stack no deep recursion survives.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(test)
        .expect("a thread")
        .join()
        .expect("the test passes");
}

struct Chain {
    pool: Pool,
    x: Term,
    y: Term,
    top: Term,
}

/// A chain that no rule shortens: t ← ((t * x) ^ y) + x, …
fn chain() -> Chain {
    let mut pool = Pool::new();
    let (a, b) = (
        pool.new_symbol("a", Sort::BitVec(32)),
        pool.new_symbol("b", Sort::BitVec(32)),
    );
    let (x, y) = (pool.symbol_term(a), pool.symbol_term(b));
    let mut top = x;
    for k in 0..DEPTH {
        top = match k % 3 {
            0 => pool.mul(top, y),
            1 => pool.xor(top, x),
            _ => pool.add(top, y),
        };
    }
    assert!(pool.len() as u64 >= DEPTH);
    Chain { pool, x, y, top }
}

fn expected(x: u32, y: u32) -> u32 {
    let mut value = x;
    for k in 0..DEPTH {
        value = match k % 3 {
            0 => value.wrapping_mul(y),
            1 => value ^ x,
            _ => value.wrapping_add(y),
        };
    }
    value
}

#[test]
fn a_chain_is_built_evaluated_compiled_substituted_printed_collected_and_dropped() {
    on_small_stack(|| {
        let Chain {
            mut pool,
            x,
            y,
            mut top,
        } = chain();
        let mut assignment = Assignment::new();
        assignment.set(pool.as_symbol(x).unwrap(), 12345);
        assignment.set(pool.as_symbol(y).unwrap(), 6789);
        let value = expected(12345, 6789) as u64;
        assert_eq!(Evaluator::new().eval(&pool, top, &assignment), value);

        let tape = Tape::compile(&pool, &[top]);
        let mut scratch = Scratch::new();
        tape.run(&assignment, &mut scratch);
        assert_eq!(tape.value(&scratch, 0), value);

        let mut swap = Substitution::default();
        swap.insert(x, y);
        swap.insert(y, x);
        let swapped = substitute(&mut pool, top, &swap);
        let back = expected(6789, 12345) as u64;
        assert_eq!(Evaluator::new().eval(&pool, swapped, &assignment), back);

        let zero = pool.bv(32, 0);
        let condition = pool.eq(top, zero);
        let text = to_smt2(&pool, &[condition]);
        assert!(text.len() > 10 * DEPTH as usize && text.ends_with("(check-sat)\n"));
        let mut printer = Printer::new(&pool);
        printer.declarations(&[condition]);
        assert!(pool.display(top).to_string().len() < 10_000);

        let before = pool.len();
        pool.collect(&mut |visit| visit(&mut top));
        assert!((pool.len() as u64) < DEPTH + 10 && before > pool.len());
        assert_eq!(Evaluator::new().eval(&pool, top, &assignment), value);
        drop(pool);
    });
}

/// Terms on which a rule looks below its operand, layer by layer.
#[test]
fn rules_do_not_recurse_along_a_chain() {
    on_small_stack(|| {
        let mut pool = Pool::new();
        let symbol = pool.new_symbol("s", Sort::BitVec(16));
        let s = pool.symbol_term(symbol);
        // Alternating layers through which an equality with a constant passes.
        let mut layers = s;
        for k in 0..DEPTH / 4 {
            let one = pool.bv(16, 2 * k + 1);
            layers = pool.xor(layers, one);
            layers = pool.add(layers, one);
        }
        let k = pool.bv(16, 77);
        pool.eq(layers, k);
        pool.ult(layers, k);
        pool.slt(k, layers);
        pool.extract(7, 0, layers);
        pool.not(layers);
        pool.neg(layers);
        // A long if-then-else with constant branches.
        let mut choice = s;
        for k in 0..DEPTH / 4 {
            let key = pool.bv(16, k % 60_000);
            let value = pool.bv(16, k * 7 + 1);
            let hit = pool.eq(s, key);
            choice = pool.ite(hit, value, choice);
        }
        pool.eq(choice, k);
        pool.ult(choice, k);
        pool.slt(choice, k);
        pool.extract(7, 0, choice);
        // Connectives.
        let mut truth = pool.eq(s, k);
        for k in 0..DEPTH / 4 {
            let k = pool.bv(16, k % 60_000);
            let less = pool.ult(s, k);
            truth = if k.0.is_multiple_of(2) {
                pool.and(truth, less)
            } else {
                pool.or(truth, less)
            };
            truth = pool.not(truth);
        }
    });
}

#[test]
fn long_store_chains_and_concatenations_are_handled() {
    on_small_stack(|| {
        let mut pool = Pool::new();
        let index = pool.new_symbol("i", Sort::BitVec(64));
        let i = pool.symbol_term(index);
        let mut array = pool.array_bytes(&[1, 2, 3]);
        let value = pool.bv(8, 9);
        for k in 0..DEPTH / 4 {
            let k = pool.bv(64, k);
            let at = pool.add(i, k);
            array = pool.store(array, at, value);
        }
        let far = pool.bv(64, 1);
        let far = pool.sub(i, far);
        let read = pool.select(array, far);
        let mut assignment = Assignment::new();
        assignment.set(index, 3);
        assert_eq!(Evaluator::new().eval(&pool, read, &assignment), 3);
        let tape = Tape::compile(&pool, &[read]);
        let mut scratch = Scratch::new();
        tape.run(&assignment, &mut scratch);
        assert_eq!(tape.value(&scratch, 0), 3);
        let nine = pool.bv(8, 9);
        let condition = pool.eq(read, nine);
        assert!(to_smt2(&pool, &[condition]).len() > DEPTH as usize);

        // A concatenation of many symbols, built from either end.
        let bytes: Vec<Term> = (0..3000)
            .map(|k| {
                let symbol = pool.new_symbol(&format!("b{k}"), Sort::BitVec(8));
                pool.symbol_term(symbol)
            })
            .collect();
        let (mut up, mut down) = (bytes[0], bytes[0]);
        for &byte in &bytes[1..] {
            up = pool.concat(byte, up);
            down = pool.concat(down, byte);
        }
        assert_eq!(pool.extract(15, 8, up), bytes[1]);
        let top = pool.width(down) - 1;
        assert_eq!(pool.extract(top, top - 7, down), bytes[0]);
        pool.eq(up, down);
        pool.ult(up, down);
        let all = pool.symbols(up);
        assert_eq!(pool.set_len(all), 3000);
    });
}
