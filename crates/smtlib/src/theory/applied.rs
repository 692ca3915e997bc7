//! Applications whose values are symbols: of functions that have integers among their arguments or as their results, and
//! products of integers.
//!
//! Terms have no functions over integers, so each application of one is a symbol, and that equal arguments give equal results is an
//! axiom for each pair of applications of a function (Ackermann, "Solvable cases of the decision problem", 1954). Arguments
//! that are the same term give the same symbol. A product of two integers that are not constant is such a symbol, too; sums are
//! multiplied out first, so that polynomials have one form. What a product is no axiom says: whoever solves has
//! to see to it ([`crate::Reader::products`]). A quotient by a term is a symbol q with the axiom that x = y·q + r and 0 <= r < |y|; quotients
//! by 0 are those of an open function of the dividend.
//!
//! The body of a definition with parameters has applications to its parameters. They stand for nothing by
//! themselves ([`Template`]): each use of the definition makes its own.

use crate::error::{Checked, wrong};
use crate::sort::{ScriptSort, Sorts};
use crate::table::Typed;
use crate::theory::{Open, arrays, held};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::{BigInt, Linear, Pool, Substitution, Symbol, Term, Trace, substitute};

/// Most monomials that a product of sums may have; longer ones are products of whole sums.
const LONGEST: usize = 256;

/// What is applied.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Applied {
    /// A declared function, by number.
    Function(usize),
    /// The product of two integers.
    Product,
    /// The quotient of an integer by one that is not 0 (where it is 0, anything).
    Quotient,
    /// What the theory leaves open: quotients by 0, which depend on the dividend only.
    QuotientByZero,
    /// The same of remainders.
    RemainderByZero,
}

/// The sorts of a declared function.
#[derive(Clone, Debug)]
struct Signature {
    params: Rc<[ScriptSort]>,
    result: ScriptSort,
}

/// An application.
#[derive(Clone, Debug)]
struct Application {
    applied: Applied,
    args: Vec<Typed>,
    symbol: Symbol,
    /// The symbol as a term.
    term: Term,
    result: Typed,
}

/// The product of two integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    /// The symbol that stands for it, as a term.
    pub product: Term,
    /// The factors.
    pub factors: [Term; 2],
}

/// The applications that a definition makes of its parameters, in the order in which they need each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template(Vec<Application>);

/// Where a table of applications stood.
#[derive(Clone, Copy)]
pub(crate) struct ApplicationMark {
    made: usize,
    axioms: usize,
}

/// The declared functions over integers, and all applications of them and products, in the order in which they need each other.
#[derive(Default)]
pub struct ApplicationTable {
    functions: Vec<Signature>,
    made: Vec<Application>,
    known: FxHashMap<(Applied, Vec<Term>), usize>,
    /// Products by their terms.
    products: FxHashMap<Term, usize>,
    axioms: Vec<Term>,
}

/// Are there integers among the sorts of a function, and nothing else that is no plain sort?
pub(crate) fn is_signature(params: &[ScriptSort], result: ScriptSort) -> bool {
    let mut all = params.iter().chain([&result]);
    let is_known = |sort: &&ScriptSort| matches!(sort, ScriptSort::Int | ScriptSort::Scalar(_));
    all.clone().all(|sort| is_known(&sort)) && all.any(|sort| *sort == ScriptSort::Int)
}

impl ApplicationTable {
    /// A new function; gives its number.
    pub(crate) fn declare(&mut self, params: Rc<[ScriptSort]>, result: ScriptSort) -> usize {
        self.functions.push(Signature { params, result });
        self.functions.len() - 1
    }

    /// A function of some arguments.
    pub(crate) fn call(
        &mut self,
        pool: &mut Pool,
        sorts: &Sorts,
        open: &mut Open,
        function: usize,
        args: &[Typed],
    ) -> Checked<Typed> {
        let Signature { params, result } = self.functions[function].clone();
        if args.len() != params.len() {
            let (want, have) = (params.len(), args.len());
            return wrong(format!("the function has {want} arguments, not {have}"));
        }
        for (&param, &arg) in params.iter().zip(args) {
            arrays::fits_sort(sorts, param, arg)?;
        }
        let applied = Applied::Function(function);
        // One pattern for each value, so that equal values are the same bits in a model.
        let args = args.iter().map(|&arg| match arg.sort {
            ScriptSort::Scalar(sort) if sort.is_redundant() => {
                let bits = held::bits(pool, sort, arg.term);
                held::value(pool, sort, bits)
            }
            _ => arg,
        });
        let args: Vec<Typed> = args.collect();
        let (at, is_new) = self.application(pool, applied, &args, result);
        if is_new {
            self.agree_with_others(pool, open, at);
        }
        Ok(self.made[at].result)
    }

    /// The application, and is it made now?
    fn application(
        &mut self,
        pool: &mut Pool,
        applied: Applied,
        args: &[Typed],
        sort: ScriptSort,
    ) -> (usize, bool) {
        let key = (applied, args.iter().map(|arg| arg.term).collect());
        if let Some(&at) = self.known.get(&key) {
            return (at, false);
        }
        let symbol = pool.new_symbol("application", sort.of_symbols());
        let term = pool.symbol_term(symbol);
        let result = match sort {
            ScriptSort::Scalar(scalar) => held::value(pool, scalar, term),
            _ => Typed { term, sort },
        };
        self.known.insert(key, self.made.len());
        if applied == Applied::Product {
            self.products.insert(term, self.made.len());
        }
        self.made.push(Application {
            applied,
            args: args.to_vec(),
            symbol,
            term,
            result,
        });
        (self.made.len() - 1, true)
    }

    /// An application has the results of all others with equal arguments.
    fn agree_with_others(&mut self, pool: &mut Pool, open: &mut Open, at: usize) {
        let own = self.made[at].clone();
        let others = self.made[..at].iter().filter(|a| a.applied == own.applied);
        for other in others {
            let mut differ = Term::FALSE;
            for (a, b) in own.args.iter().zip(&other.args) {
                let equal = held::equal(pool, open, a.sort, a.term, b.term);
                let unequal = pool.not(equal);
                differ = pool.or(differ, unequal);
            }
            if differ == Term::TRUE {
                continue;
            }
            // The symbols themselves: a value has one of them in a model.
            let same = pool.eq(own.term, other.term);
            self.axioms.push(pool.or(differ, same));
        }
    }

    /// The product of two integers as a sum of products of factors that are no sums.
    pub(crate) fn multiply(&mut self, pool: &mut Pool, a: Term, b: Term) -> Term {
        let (x, y) = (pool.linear(a), pool.linear(b));
        if x.monomials.len().saturating_mul(y.monomials.len()) > LONGEST {
            return self.product(pool, a, b);
        }
        let mut parts = vec![pool.int(&(&x.constant * &y.constant))];
        let scaled = |pool: &mut Pool, of: &Linear, by: &BigInt, parts: &mut Vec<Term>| {
            for (t, factor) in &of.monomials {
                parts.push(pool.int_scale(&(factor * by), *t));
            }
        };
        scaled(pool, &x, &y.constant, &mut parts);
        scaled(pool, &y, &x.constant, &mut parts);
        for (s, of_s) in &x.monomials {
            for (t, of_t) in &y.monomials {
                let product = self.monomial(pool, *s, *t);
                parts.push(pool.int_scale(&(of_s * of_t), product));
            }
        }
        pool.int_sum(&parts)
    }

    /// The product of two terms that are no sums: of all their factors, the ones that were made first first.
    fn monomial(&mut self, pool: &mut Pool, a: Term, b: Term) -> Term {
        let mut factors = self.factors(a);
        factors.extend(self.factors(b));
        factors.sort_unstable();
        let mut all = factors.into_iter();
        let first = all.next().expect("two products have factors");
        all.fold(first, |product, factor| self.product(pool, product, factor))
    }

    /// The factors of a product of factors.
    fn factors(&self, mut t: Term) -> Vec<Term> {
        let mut factors = Vec::new();
        while let Some(&at) = self.products.get(&t) {
            let [rest, last] = &self.made[at].args[..] else {
                unreachable!("a product has two factors");
            };
            factors.push(last.term);
            t = rest.term;
        }
        factors.push(t);
        factors
    }

    fn product(&mut self, pool: &mut Pool, a: Term, b: Term) -> Term {
        let args = [a, b].map(|term| Typed {
            term,
            sort: ScriptSort::Int,
        });
        let (at, _) = self.application(pool, Applied::Product, &args, ScriptSort::Int);
        self.made[at].term
    }

    /// The quotient of two integers, or their remainder.
    pub(crate) fn divide(
        &mut self,
        pool: &mut Pool,
        open: &mut Open,
        (x, y): (Term, Term),
        is_remainder: bool,
    ) -> Term {
        let int = |term| Typed {
            term,
            sort: ScriptSort::Int,
        };
        let zero = pool.int(&BigInt::ZERO);
        let is_zero = pool.eq(y, zero);
        let mut by_zero = Term::NONE;
        if is_zero != Term::FALSE {
            let applied = if is_remainder {
                Applied::RemainderByZero
            } else {
                Applied::QuotientByZero
            };
            let (at, is_new) = self.application(pool, applied, &[int(x)], ScriptSort::Int);
            if is_new {
                self.agree_with_others(pool, open, at);
            }
            by_zero = self.made[at].term;
        }
        if is_zero == Term::TRUE {
            return by_zero;
        }
        let mut value = self.quotient(pool, x, y);
        if is_remainder {
            let multiple = self.multiply(pool, y, value);
            value = pool.int_sub(x, multiple);
        }
        if is_zero == Term::FALSE {
            return value;
        }
        pool.ite(is_zero, by_zero, value)
    }

    /// The quotient of two integers that are not constant, where the divisor is not 0.
    fn quotient(&mut self, pool: &mut Pool, x: Term, y: Term) -> Term {
        let args = [x, y].map(|term| Typed {
            term,
            sort: ScriptSort::Int,
        });
        let (at, is_new) = self.application(pool, Applied::Quotient, &args, ScriptSort::Int);
        let quotient = self.made[at].term;
        if is_new {
            let multiple = self.multiply(pool, y, quotient);
            let (rest, size) = (pool.int_sub(x, multiple), pool.int_abs(y));
            let zero = pool.int(&BigInt::ZERO);
            let is_zero = pool.eq(y, zero);
            let (least, most) = (pool.int_le(zero, rest), pool.int_lt(rest, size));
            let within = pool.and(least, most);
            self.axioms.push(pool.or(is_zero, within));
        }
        quotient
    }

    /// The products of integers.
    pub fn products(&self) -> impl Iterator<Item = Product> + '_ {
        let made = self.made.iter();
        let products = made.filter(|a| a.applied == Applied::Product);
        products.map(|a| Product {
            product: a.term,
            factors: [a.args[0].term, a.args[1].term],
        })
    }

    /// The axioms since this was last asked.
    pub(crate) fn take_axioms(&mut self) -> Vec<Term> {
        std::mem::take(&mut self.axioms)
    }

    /// The number of applications so far.
    pub fn count(&self) -> usize {
        self.made.len()
    }

    /// Where the table stands.
    pub(crate) fn mark(&self) -> ApplicationMark {
        ApplicationMark {
            made: self.made.len(),
            axioms: self.axioms.len(),
        }
    }

    /// Takes out the applications since then, which the body of a definition made.
    pub(crate) fn template(&mut self, since: ApplicationMark) -> Template {
        self.axioms.truncate(since.axioms);
        let made = self.made.split_off(since.made);
        self.known.retain(|_, at| *at < since.made);
        self.products.retain(|_, at| *at < since.made);
        Template(made)
    }

    /// Makes the applications of a template with arguments for the parameters, and adds their values to the arguments.
    pub(crate) fn instantiate(
        &mut self,
        pool: &mut Pool,
        sorts: &Sorts,
        open: &mut Open,
        template: &Template,
        arguments: &mut Substitution,
    ) -> Checked<()> {
        for application in &template.0 {
            let args = application.args.iter().map(|arg| Typed {
                term: substitute(pool, arg.term, arguments),
                sort: arg.sort,
            });
            let args: Vec<Typed> = args.collect();
            let value = match application.applied {
                Applied::Product => multiply_all(pool, self, &args),
                Applied::Quotient => match pool.as_int(args[1].term) {
                    // The definition has another value for this divisor.
                    Some(divisor) if divisor == BigInt::ZERO => args[1].term,
                    Some(divisor) => pool.int_div(args[0].term, &divisor),
                    None => self.quotient(pool, args[0].term, args[1].term),
                },
                Applied::QuotientByZero | Applied::RemainderByZero => {
                    let is_remainder = application.applied == Applied::RemainderByZero;
                    let zero = pool.int(&BigInt::ZERO);
                    self.divide(pool, open, (args[0].term, zero), is_remainder)
                }
                Applied::Function(function) => {
                    let value = self.call(pool, sorts, open, function, &args)?;
                    match value.sort {
                        ScriptSort::Scalar(sort) => held::bits(pool, sort, value.term),
                        _ => value.term,
                    }
                }
            };
            arguments.insert(application.term, value);
        }
        Ok(())
    }

    /// The applications of a function, each with its arguments and its result.
    pub fn of_function(&self, function: usize) -> impl Iterator<Item = (&[Typed], Typed)> + '_ {
        let applied = Applied::Function(function);
        let made = self.made.iter().filter(move |a| a.applied == applied);
        made.map(|a| (&a.args[..], a.result))
    }

    /// The applications below a number: what is applied, arguments, and result.
    pub fn before(
        &self,
        end: usize,
    ) -> impl Iterator<Item = (Applied, &[Typed], Typed)> + Clone + '_ {
        let made = self.made[..end].iter();
        made.map(|a| (a.applied, &a.args[..], a.result))
    }

    /// The applications from a number on: what is applied, arguments, and the symbol.
    pub fn since(&self, first: usize) -> impl Iterator<Item = (Applied, &[Typed], Symbol)> + '_ {
        let made = self.made[first.min(self.made.len())..].iter();
        made.map(|a| (a.applied, &a.args[..], a.symbol))
    }
}

/// The product of integers.
pub(super) fn multiply_all(pool: &mut Pool, table: &mut ApplicationTable, args: &[Typed]) -> Term {
    let one = pool.int(&BigInt::from(1));
    args.iter().fold(one, |product, arg| {
        match (pool.as_int(product), pool.as_int(arg.term)) {
            (Some(factor), _) => pool.int_scale(&factor, arg.term),
            (_, Some(factor)) => pool.int_scale(&factor, product),
            _ => table.multiply(pool, product, arg.term),
        }
    })
}

impl Trace for ApplicationTable {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.axioms.iter_mut().for_each(&mut *visit);
        self.made.iter_mut().for_each(|a| trace_one(a, visit));
        let made = self.made.iter().enumerate();
        let products = made.clone().filter(|(_, a)| a.applied == Applied::Product);
        self.products = products.map(|(at, a)| (a.term, at)).collect();
        let key = |a: &Application| (a.applied, a.args.iter().map(|arg| arg.term).collect());
        self.known = made.map(|(at, a)| (key(a), at)).collect();
    }
}

impl Trace for Template {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.0.iter_mut().for_each(|a| trace_one(a, visit));
    }
}

fn trace_one(application: &mut Application, visit: &mut dyn FnMut(&mut Term)) {
    let Application {
        args, term, result, ..
    } = application;
    args.iter_mut().for_each(|arg| visit(&mut arg.term));
    visit(term);
    visit(&mut result.term);
}
