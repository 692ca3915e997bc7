//! Conditions by which searches are judged.

use term::{FloatFormat, FloatPredicate, MathFunction, Pool, Sort, Symbol, Term};

/// Writes terms over doubles.
pub struct Writer {
    pub pool: Pool,
    pub symbols: Vec<Symbol>,
}

impl Writer {
    pub fn new() -> Writer {
        Writer {
            pool: Pool::new(),
            symbols: Vec::new(),
        }
    }

    /// So many bytes of an input, the least significant first.
    pub fn bytes(&mut self, name: &str, count: usize) -> Term {
        let mut bits = None;
        for k in 0..count {
            let symbol = self.pool.new_symbol(&format!("{name}{k}"), Sort::BitVec(8));
            self.symbols.push(symbol);
            let byte = self.pool.symbol_term(symbol);
            bits = Some(match bits {
                None => byte,
                Some(low) => self.pool.concat(byte, low),
            });
        }
        bits.expect("a byte")
    }

    /// A double whose eight bytes are symbols.
    pub fn double(&mut self, name: &str) -> Term {
        let bits = self.bytes(name, 8);
        self.pool.fp_from_bits(FloatFormat::DOUBLE, bits)
    }

    pub fn number(&mut self, value: f64) -> Term {
        let bits = self.pool.bv(64, value.to_bits());
        self.pool.fp_from_bits(FloatFormat::DOUBLE, bits)
    }

    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.pool.fadd(a, b)
    }

    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.pool.fsub(a, b)
    }

    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        self.pool.fmul(a, b)
    }

    /// A number times a term.
    pub fn times(&mut self, factor: f64, a: Term) -> Term {
        let factor = self.number(factor);
        self.pool.fmul(factor, a)
    }

    pub fn is(&mut self, predicate: FloatPredicate, a: Term, value: f64) -> Term {
        let value = self.number(value);
        self.pool.fcmp(predicate, a, value)
    }

    pub fn equals(&mut self, a: Term, value: f64) -> Term {
        self.is(FloatPredicate::Oeq, a, value)
    }

    pub fn above(&mut self, a: Term, value: f64) -> Term {
        self.is(FloatPredicate::Ogt, a, value)
    }

    pub fn below(&mut self, a: Term, value: f64) -> Term {
        self.is(FloatPredicate::Olt, a, value)
    }

    pub fn is_nan(&mut self, a: Term) -> Term {
        self.pool.fcmp(FloatPredicate::Uno, a, a)
    }
}

/// The conditions of a query about x, y and z.
pub type QueryBuilder = fn(&mut Writer, [Term; 3]) -> Vec<Term>;

/// A satisfiable query.
pub struct Row {
    pub name: &'static str,
    /// Assignments that our search evaluates at most until it is solved, for any of ten seeds.
    pub most: u64,
    pub conditions: QueryBuilder,
}

const fn row(name: &'static str, most: u64, conditions: QueryBuilder) -> Row {
    Row {
        name,
        most,
        conditions,
    }
}

/// The satisfiable queries.
pub const SOLVABLE: &[Row] = &[
    row("cube", 400, |w, [x, ..]| {
        let square = w.mul(x, x);
        let cube = w.mul(square, x);
        vec![w.equals(cube, 27.0)]
    }),
    row("distance", 700, |w, [x, y, _]| {
        let (xx, yy) = (w.mul(x, x), w.mul(y, y));
        let sum = w.add(xx, yy);
        let root = w.pool.fsqrt(sum);
        vec![w.above(x, 1.0), w.above(y, 1.0), w.equals(root, 13.0)]
    }),
    row("integer", 6000, |w, [x, ..]| {
        let integer = w.pool.fp_to_sint(32, x);
        let c = w.pool.bv(32, 42);
        vec![w.pool.eq(integer, c)]
    }),
    row("absorbed", 500, |w, [x, y, _]| {
        let (sum, zero) = (w.add(x, y), w.sub(x, x));
        let (no_y, finite) = (w.equals(y, 0.0), w.equals(zero, 0.0));
        vec![
            w.pool.not(no_y),
            finite,
            w.pool.fcmp(FloatPredicate::Oeq, sum, x),
        ]
    }),
    row("close", 200, |w, [x, y, _]| {
        let difference = w.sub(x, y);
        let magnitude = w.pool.fabs(difference);
        let same = w.pool.fcmp(FloatPredicate::Oeq, x, y);
        vec![w.above(x, 1.0), w.pool.not(same), w.below(magnitude, 1e-9)]
    }),
    row("polynomial", 80000, |w, [x, ..]| {
        let mut value = x;
        for coefficient in [-3.0, 1.0, -7.0, 2.0, -5.0] {
            let product = match coefficient {
                -3.0 => value,
                _ => w.mul(value, x),
            };
            let coefficient = w.number(coefficient);
            value = w.add(product, coefficient);
        }
        let magnitude = w.pool.fabs(value);
        vec![w.below(magnitude, 1e-6)]
    }),
    row("sum of 8 floats", 30, |w, _| {
        let mut sum = None;
        for k in 0..8 {
            let bits = w.bytes(&format!("f{k}"), 4);
            let x = w.pool.fp_from_bits(FloatFormat::SINGLE, bits);
            sum = Some(sum.map_or(x, |sum| w.pool.fadd(sum, x)));
        }
        let bits = w.pool.bv(32, 100f32.to_bits().into());
        let hundred = w.pool.fp_from_bits(FloatFormat::SINGLE, bits);
        vec![
            w.pool
                .fcmp(FloatPredicate::Oeq, sum.expect("a sum"), hundred),
        ]
    }),
    row("quadratic", 1200, |w, [a, b, c]| {
        let (bb, ac) = (w.mul(b, b), w.mul(a, c));
        let ac4 = w.times(4.0, ac);
        let d = w.sub(bb, ac4);
        let (root, minus) = (w.pool.fsqrt(d), w.pool.fneg(b));
        let (above, below) = (w.add(minus, root), w.add(a, a));
        let x = w.pool.fdiv(above, below);
        vec![w.above(a, 1.0), w.above(d, 0.0), w.equals(x, 2.5)]
    }),
    row("sum and product", 1300, |w, [x, y, _]| {
        let (sum, product) = (w.add(x, y), w.mul(x, y));
        vec![w.equals(sum, 10.0), w.equals(product, 21.0)]
    }),
    row("sum and product, no integers", 1400, |w, [x, y, _]| {
        let (sum, product) = (w.add(x, y), w.mul(x, y));
        vec![w.equals(sum, 10.0), w.equals(product, 20.5)]
    }),
    row("three linear equations", 1200, |w, [x, y, z]| {
        let rows = [
            ([2.0, 1.0, -1.0], 8.0),
            ([-3.0, -1.0, 2.0], -11.0),
            ([-2.0, 1.0, 2.0], -3.0),
        ];
        rows.map(|(factors, value)| {
            let [a, b, c] = [(factors[0], x), (factors[1], y), (factors[2], z)]
                .map(|(factor, t)| w.times(factor, t));
            let sum = w.add(a, b);
            let sum = w.add(sum, c);
            w.equals(sum, value)
        })
        .to_vec()
    }),
    row("two equations with fractions", 1300, |w, [x, y, _]| {
        let (a, b) = (w.times(0.3, x), w.times(0.7, y));
        let (c, d) = (w.times(1.1, x), w.times(-0.4, y));
        let (first, second) = (w.add(a, b), w.add(c, d));
        vec![w.equals(first, 1.0), w.equals(second, 3.7)]
    }),
    row("circle and line", 1100, |w, [x, y, _]| {
        let (xx, yy) = (w.mul(x, x), w.mul(y, y));
        let (sum, difference) = (w.add(xx, yy), w.sub(y, x));
        vec![w.equals(sum, 25.0), w.equals(difference, 1.0)]
    }),
    row("circle and hyperbola", 1800, |w, [x, y, _]| {
        let (xx, yy) = (w.mul(x, x), w.mul(y, y));
        let (sum, product) = (w.add(xx, yy), w.mul(x, y));
        vec![
            w.equals(sum, 100.0),
            w.pool.fcmp(FloatPredicate::Ogt, x, y),
            w.equals(product, 48.0),
        ]
    }),
    row("19 numbers above 1", 5000, |w, _| {
        let mut conditions = Vec::new();
        let mut sum = w.number(0.0);
        for k in 0..19 {
            let x = w.double(&format!("v{k}_"));
            conditions.push(w.above(x, 1.0));
            sum = w.add(sum, x);
        }
        conditions.push(w.equals(sum, 27.7));
        conditions
    }),
    row("exponential", 900, |w, [x, y, _]| {
        let power = w.pool.fcall(MathFunction::Exp, &[x]);
        let sum = w.add(power, y);
        let product = w.mul(x, y);
        let error = w.sub(sum, product);
        let magnitude = w.pool.fabs(error);
        vec![w.below(magnitude, 1e-9), w.equals(y, 9.0)]
    }),
    row("power", 20000, |w, [x, y, _]| {
        let power = w.pool.fcall(MathFunction::Pow, &[x, y]);
        let sum = w.add(x, y);
        vec![w.equals(power, 8.0), w.equals(sum, 5.0)]
    }),
    row("not a number", 25000, |w, [x, y, _]| {
        let sum = w.add(x, y);
        let [of_sum, of_x, of_y] = [sum, x, y].map(|t| w.is_nan(t));
        vec![of_sum, w.pool.not(of_x), w.pool.not(of_y)]
    }),
    row("either", 20, |w, [x, y, _]| {
        let (a, b) = (w.equals(x, 2.0), w.equals(x, 5.0));
        let sum = w.add(x, y);
        vec![w.pool.or(a, b), w.equals(sum, 5.0)]
    }),
    row("chain", 2200, |w, [x, y, z]| {
        let (xy, yz) = (w.mul(x, y), w.mul(y, z));
        let sum = w.add(x, z);
        vec![w.equals(xy, 6.0), w.equals(yz, 15.0), w.equals(sum, 7.0)]
    }),
    row("an integer and a double", 6000, |w, [x, ..]| {
        let n = w.bytes("n", 4);
        let of_n = w.pool.sint_to_fp(FloatFormat::DOUBLE, n);
        let (sum, product) = (w.add(of_n, x), w.mul(of_n, x));
        vec![w.equals(sum, 12.5), w.equals(product, 25.0)]
    }),
    row("exponent bits", 8000, |w, [x, ..]| {
        let bits = w.pool.fp_to_bits(x);
        let exponent = w.pool.extract(62, 52, bits);
        let c = w.pool.bv(11, 1100);
        let square = w.mul(x, x);
        vec![
            w.pool.eq(exponent, c),
            w.below(x, 0.0),
            w.above(square, 1e40),
        ]
    }),
];
