//! One run of the program: its records become terms, conditions and decisions.

use crate::flow::{Side, Whence};
use crate::input::Inputs;
use crate::jvm::unknown;
use crate::places::Places;
use crate::terms::{self, Array};
use crate::wire::{self, Words, opcode};
use dse::{Conditions, Decision};
use explore::Lost;
use host::Stop;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::{Model, Origin, PathCondition, Solver, Splits};
use std::io::{self, Read};
use term::{Evaluator, Pool, Symbol, Term};

/// The parts of the target that a run needs.
pub(crate) struct Around<'a> {
    pub pool: &'a mut Pool,
    pub solver: &'a mut Solver,
    pub evaluator: &'a mut Evaluator,
    pub inputs: &'a mut Inputs,
    pub places: &'a mut Places,
    pub values: &'a Model,
    pub stop: Stop,
}

/// The content of the records of a run.
#[derive(Default)]
pub(crate) struct Trace {
    /// Terms by id, from the run's first one on. A lower id is of an earlier run: something that the JDK kept.
    ids: Vec<Term>,
    first: u32,
    arrays: Vec<Array>,
    pub path: PathCondition,
    /// Conditions of the path, to find one at once.
    known: FxHashSet<Term>,
    /// Symbols of which the path knows the value.
    settled: FxHashSet<Symbol>,
    pub decisions: Vec<Decision>,
    pub conditions: Conditions,
    /// Of each decision.
    whence: Vec<Whence>,
    /// The block of the program that ran when the JDK decided last.
    at: u32,
    /// The last index that was not within its array.
    pub outside: Option<Term>,
    /// Objects of input that the run asked for, and how many of their values.
    pub asked: Vec<(usize, usize)>,
    /// Blocks that it was the first to cover.
    pub covered: Vec<u32>,
    /// By kind and place.
    pub losses: FxHashMap<(Lost, u32), u64>,
    pub output: String,
    /// The driver's last message; `None` if the stream broke off.
    pub end: Option<String>,
    pub records: u64,
    /// Results that were compared with their terms, and those that differ in words.
    pub checked: u64,
    pub wrong: Vec<String>,
    evaluator: Evaluator,
}

/// Contradictions of one run that are kept in words.
const SHOWN: usize = 5;

fn bad(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("a record is wrong: {what}"),
    )
}

impl Trace {
    pub fn new() -> Trace {
        Trace {
            first: 1,
            at: u32::MAX,
            ..Trace::default()
        }
    }

    /// Reads records until the run is over.
    ///
    /// # Errors
    /// The stream breaks off ([`io::ErrorKind::UnexpectedEof`]) or has what no JVM of ours sends.
    pub fn read<R: Read>(&mut self, words: &mut Words<R>, mut a: Around<'_>) -> io::Result<()> {
        a.pool.tru();
        loop {
            let head = words.word()?;
            self.records += 1;
            if a.stop.is_set() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let op = head & 255;
            match op {
                opcode::IFEQ..=opcode::IF_ICMPLE => self.branch(head, words, &mut a)?,
                opcode::LOOKUPSWITCH => self.choose(words, &mut a)?,
                wire::SYMBOL => self.symbol(words, &mut a)?,
                wire::ARRAY => self.array(words, &mut a)?,
                wire::SELECT => self.select(head, words, &mut a)?,
                wire::STORE => self.store(head, words, &mut a)?,
                wire::DECIMAL => self.decimal(head, words, &mut a)?,
                wire::BOUNDS => {
                    let site = a.places.number(words.word()?)?;
                    let index = self.index(site, words.word()?, &mut a)?;
                    let length = a.pool.bv(32, u64::from(words.word()?));
                    let inside = a.pool.ult(index, length);
                    if head & wire::HOLDS == 0 {
                        self.outside = Some(index);
                    }
                    let side = side(head);
                    self.decide(site, inside, head, Origin::BoundsCheck, side, &mut a);
                }
                wire::ALL_EQUAL => self.all_equal(head, words, &mut a)?,
                wire::ALL_WITHIN => {
                    let site = a.places.number(words.word()?)?;
                    let (first, count) = (words.word()?, words.word()?);
                    let most = a.pool.bv(32, u64::from(words.word()?));
                    let mut parts = Vec::new();
                    for at in 0..count {
                        let x = self.id(first.wrapping_add(at))?;
                        parts.push(a.pool.ule(x, most));
                    }
                    let before = self.decisions.len();
                    self.decide_all(site, parts, head, &mut a);
                    self.can_wait(before, head);
                }
                wire::VALUE => {
                    let site = a.places.number(words.word()?)?;
                    let term = self.id(words.word()?)?;
                    let value = a.pool.bv(32, u64::from(words.word()?));
                    let is = a.pool.eq(term, value);
                    let before = self.decisions.len();
                    self.decide(site, is, wire::HOLDS, Origin::Branch, Side::On, &mut a);
                    self.can_wait(before, head);
                    self.settle(term, a.pool);
                }
                wire::ASSUME => {
                    let site = a.places.number(words.word()?)?;
                    let term = self.id(words.word()?)?;
                    let zero = a.pool.bv(32, 0);
                    let holds = a.pool.ne(term, zero);
                    if head & wire::HOLDS != 0 {
                        self.assume(holds, &mut a);
                    } else {
                        self.decide(site, holds, head, Origin::Branch, Side::On, &mut a);
                    }
                }
                wire::RANGE => {
                    let term = self.id(words.word()?)?;
                    let (first, last) = (words.word()?, words.word()?);
                    let (first, last) = (
                        a.pool.bv(32, u64::from(first)),
                        a.pool.bv(32, u64::from(last)),
                    );
                    let (above, below) = (a.pool.sge(term, first), a.pool.sle(term, last));
                    self.assume(above, &mut a);
                    self.assume(below, &mut a);
                }
                wire::AT => self.at = a.places.number(words.word()?)?,
                wire::FIRST => self.first = words.word()?,
                wire::CHECK => self.check(words, &a)?,
                wire::COVER => {
                    let place = a.places.number(words.word()?)?;
                    if a.places.cover(place) {
                        self.covered.push(place);
                    }
                }
                wire::LOSS => {
                    let what = words.word()? as usize;
                    let what = *Lost::ALL.get(what).ok_or_else(|| bad("a loss"))?;
                    let place = a.places.number(words.word()?)?;
                    *self.losses.entry((what, place)).or_default() += 1;
                }
                wire::META => {
                    let heard = a.places.hear(&words.text()?);
                    heard.map_err(|e| bad(&e))?;
                }
                wire::OUTPUT => self.output = words.text()?,
                wire::END => {
                    self.end = Some(words.text()?);
                    return Ok(());
                }
                _ => self.operation(head, words, &mut a)?,
            }
        }
    }

    /// The other sides of the decisions from this one on can wait, if the record says so.
    fn can_wait(&mut self, from: usize, head: u32) {
        for d in &mut self.decisions[from..] {
            d.can_wait = head & wire::CAN_WAIT != 0;
        }
    }

    #[inline]
    fn id(&self, id: u32) -> io::Result<Term> {
        let at = id.wrapping_sub(self.first) as usize;
        let term = self.ids.get(at).copied();
        term.ok_or_else(|| bad("an id, which an earlier run may have left"))
    }

    /// An operand: an id, or a constant of this width.
    #[inline]
    fn operand<R: Read>(
        &self,
        constant: bool,
        width: u32,
        words: &mut Words<R>,
        pool: &mut Pool,
    ) -> io::Result<Term> {
        if !constant {
            return self.id(words.word()?);
        }
        let value = if width == 64 {
            words.wide()?
        } else {
            u64::from(words.word()?)
        };
        Ok(pool.bv(width, value))
    }

    /// The index of an access, after the path was split by the states of tables that it depends on: the id stands for what is known of it then.
    fn index(&mut self, site: u32, id: u32, a: &mut Around<'_>) -> io::Result<Term> {
        let index = self.id(id)?;
        let mut here = Here {
            trace: self,
            around: a,
            site,
        };
        let settled = solver::by_states(&mut here, index);
        let at = id.wrapping_sub(self.first) as usize;
        self.ids[at] = settled;
        Ok(settled)
    }

    fn operation<R: Read>(
        &mut self,
        head: u32,
        words: &mut Words<R>,
        a: &mut Around<'_>,
    ) -> io::Result<()> {
        let op = head & 255;
        let result = match terms::operands(op) {
            Some((first, second)) => {
                let constant = head & wire::FIRST_CONSTANT != 0;
                let x = self.operand(constant, terms::width(first), words, a.pool)?;
                let constant = head & wire::SECOND_CONSTANT != 0;
                let y = self.operand(constant, terms::width(second), words, a.pool)?;
                terms::binary(a.pool, op, x, y)
            }
            None => {
                let x = self.id(words.word()?)?;
                terms::unary(a.pool, op, x).ok_or_else(|| unknown(op))?
            }
        };
        self.ids.push(result);
        Ok(())
    }

    fn decimal<R: Read>(
        &mut self,
        head: u32,
        words: &mut Words<R>,
        a: &mut Around<'_>,
    ) -> io::Result<()> {
        let is_single = words.word()? == u32::from(b'F');
        let digits = words.word()?;
        let (low, high) = (words.word()? as i32, words.word()? as i32);
        let number = self.operand(head & wire::FIRST_CONSTANT != 0, 64, words, a.pool)?;
        let exponent = self.operand(head & wire::SECOND_CONSTANT != 0, 32, words, a.pool)?;
        let number = terms::decimal(a.pool, is_single, (digits, low, high), number, exponent);
        self.ids
            .push(number.ok_or_else(|| bad("a number in text"))?);
        Ok(())
    }

    fn branch<R: Read>(
        &mut self,
        head: u32,
        words: &mut Words<R>,
        a: &mut Around<'_>,
    ) -> io::Result<()> {
        let op = head & 255;
        let site = a.places.number(words.word()?)?;
        let x = self.operand(head & wire::FIRST_CONSTANT != 0, 32, words, a.pool)?;
        let y = self.operand(head & wire::SECOND_CONSTANT != 0, 32, words, a.pool)?;
        let relation = if op <= opcode::IFLE {
            op - opcode::IFEQ
        } else {
            op - opcode::IF_ICMPEQ
        };
        let condition = terms::relation(a.pool, relation, x, y);
        let side = match a.places.info(site).map(|info| info.place.what.as_str()) {
            Some("branch") => Side::Jump(head & wire::HOLDS != 0),
            Some("divide" | "size" | "element") => side(head),
            _ => Side::On,
        };
        self.decide(site, condition, head, Origin::Branch, side, a);
        Ok(())
    }

    fn choose<R: Read>(&mut self, words: &mut Words<R>, a: &mut Around<'_>) -> io::Result<()> {
        let site = a.places.number(words.word()?)?;
        let term = self.id(words.word()?)?;
        let value = words.word()? as i32;
        let info = a.places.info(site).ok_or_else(|| bad("a switch"))?;
        let is_default = !info.keys.contains(&value);
        let keys: &[i32] = if is_default { &info.keys } else { &[value] };
        let mut condition = a.pool.bool(is_default);
        for &key in keys {
            let key = a.pool.bv(32, key as u32 as u64);
            let is = a.pool.eq(term, key);
            condition = if is_default {
                let not = a.pool.not(is);
                a.pool.and(condition, not)
            } else {
                is
            };
        }
        self.decide(site, condition, wire::HOLDS, Origin::Branch, Side::On, a);
        Ok(())
    }

    /// A decision on whether all pairs are equal.
    fn all_equal<R: Read>(
        &mut self,
        head: u32,
        words: &mut Words<R>,
        a: &mut Around<'_>,
    ) -> io::Result<()> {
        let site = a.places.number(words.word()?)?;
        let mut pairs = Vec::new();
        for _ in 0..words.word()? {
            let x = self.id(words.word()?)?;
            let (id, value) = (words.word()?, words.word()?);
            let y = match id {
                0 => a.pool.bv(32, u64::from(value)),
                id => self.id(id)?,
            };
            pairs.push(a.pool.eq(x, y));
        }
        self.decide_all(site, pairs, head, a);
        Ok(())
    }

    /// A decision on whether all of these hold. If they do, each of them is a condition of its own.
    fn decide_all(&mut self, site: u32, parts: Vec<Term>, head: u32, a: &mut Around<'_>) {
        let mut all = a.pool.tru();
        for &part in &parts {
            all = a.pool.and(all, part);
        }
        let taken = self.note(site, all, head, Origin::Branch, Side::On, a);
        let conditions = match taken {
            Some(taken) if taken != all => vec![taken],
            Some(_) => parts,
            None => Vec::new(),
        };
        for condition in conditions {
            if a.pool.as_const(condition).is_none() {
                self.known.insert(condition);
                a.solver
                    .push(a.pool, &mut self.path, condition, Origin::Branch);
            }
        }
    }

    fn symbol<R: Read>(&mut self, words: &mut Words<R>, a: &mut Around<'_>) -> io::Result<()> {
        let kind = char::from_u32(words.word()?).ok_or_else(|| bad("a type"))?;
        let count = words.word()? as usize;
        let name = words.text()?;
        let object = a.inputs.object(a.pool, &name, kind, count);
        let object = object.map_err(|e| bad(&e))?;
        for at in 0..count {
            self.ids.push(a.inputs.term(a.pool, object, at));
        }
        self.asked.push((object, count));
        Ok(())
    }

    fn array<R: Read>(&mut self, words: &mut Words<R>, a: &mut Around<'_>) -> io::Result<()> {
        let kind = char::from_u32(words.word()?).ok_or_else(|| bad("a type"))?;
        let length = words.word()?;
        let mut elements = Vec::new();
        for _ in 0..length {
            elements.push(match kind {
                'J' | 'D' => words.wide()?,
                _ => u64::from(words.word()?),
            });
        }
        let mut array = Array::new(a.pool, kind, &elements);
        for _ in 0..words.word()? {
            let index = a.pool.bv(32, u64::from(words.word()?));
            let value = self.id(words.word()?)?;
            array = array.write(a.pool, index, value);
        }
        self.arrays.push(array);
        Ok(())
    }

    /// Arrays are numbered from 1.
    fn array_of(&self, number: u32) -> io::Result<Array> {
        let at = (number as usize).checked_sub(1);
        let array = at.and_then(|at| self.arrays.get(at)).copied();
        array.ok_or_else(|| bad("an array"))
    }

    fn select<R: Read>(
        &mut self,
        head: u32,
        words: &mut Words<R>,
        a: &mut Around<'_>,
    ) -> io::Result<()> {
        let array = self.array_of(words.word()?)?;
        let index = self.operand(head & wire::SECOND_CONSTANT != 0, 32, words, a.pool)?;
        self.ids.push(array.read(a.pool, index));
        Ok(())
    }

    fn store<R: Read>(
        &mut self,
        head: u32,
        words: &mut Words<R>,
        a: &mut Around<'_>,
    ) -> io::Result<()> {
        let array = self.array_of(words.word()?)?;
        let index = self.operand(head & wire::FIRST_CONSTANT != 0, 32, words, a.pool)?;
        let constant = head & wire::SECOND_CONSTANT != 0;
        let width = if matches!(array.kind, 'J' | 'D') {
            64
        } else {
            32
        };
        let value = self.operand(constant, width, words, a.pool)?;
        self.arrays.push(array.write(a.pool, index, value));
        Ok(())
    }

    /// The path goes on only where this holds.
    fn assume(&mut self, condition: Term, a: &mut Around<'_>) {
        if a.pool.as_const(condition).is_none() && self.known.insert(condition) {
            a.solver
                .push(a.pool, &mut self.path, condition, Origin::Assume);
        }
    }

    /// A term is one value from now on: if it is a value of input, nothing that depends on it alone is a decision.
    fn settle(&mut self, term: Term, pool: &mut Pool) {
        if let Some(symbol) = pool.single_symbol(term) {
            let value = pool.symbol_term(symbol);
            let is_plain = pool.width(value) <= 32
                && [pool.zext(32, value), pool.sext(32, value)].contains(&term);
            if is_plain {
                self.settled.insert(symbol);
            }
        }
    }

    /// The run went one way here; another input may go the other.
    fn decide(
        &mut self,
        site: u32,
        condition: Term,
        head: u32,
        origin: Origin,
        side: Side,
        a: &mut Around<'_>,
    ) {
        if let Some(taken) = self.note(site, condition, head, origin, side, a) {
            a.solver.push(a.pool, &mut self.path, taken, origin);
        }
    }

    /// Notes a decision. Returns the condition that holds, if it is new to the path, to which it is to be added.
    fn note(
        &mut self,
        site: u32,
        condition: Term,
        head: u32,
        origin: Origin,
        side: Side,
        a: &mut Around<'_>,
    ) -> Option<Term> {
        let holds = head & wire::HOLDS != 0;
        let condition = solver::with_settled(a.pool, a.solver, &self.path, condition);
        if self.is_settled(condition, a) {
            return None;
        }
        if let Some(known) = a.pool.as_const(condition) {
            if (known != 0) != holds {
                self.contradiction(format!("a condition at {}", describe(a.places, site)));
            }
            return None;
        }
        let only = a.pool.single_symbol(condition);
        if only.is_some_and(|symbol| self.settled.contains(&symbol)) {
            return None;
        }
        let negated = a.pool.not(condition);
        let (taken, other) = if holds {
            (condition, negated)
        } else {
            (negated, condition)
        };
        // A loop comes to the same condition again and again, and the path itself is long.
        if !self.known.insert(taken) {
            return None;
        }
        self.conditions.note(&self.path);
        self.decisions.push(Decision {
            site: u64::from(site),
            taken,
            other,
            before: self.path.len(),
            origin,
            step: self.decisions.len() as u64,
            // When the run is over, it is known what is covered.
            near: search::Near::NONE,
            is_known: false,
            can_wait: false,
        });
        self.whence.push(Whence {
            site,
            at: self.at,
            side,
        });
        Some(taken)
    }

    /// Whether a condition that reads a table at one symbol is one value on this path: no other input decides otherwise.
    fn is_settled(&self, condition: Term, a: &mut Around<'_>) -> bool {
        if !a.pool.has_array(condition) {
            return false;
        }
        let left = a.solver.classes_left(a.pool, &self.path, condition);
        left.is_some_and(|left| left.len() == 1)
    }

    fn check<R: Read>(&mut self, words: &mut Words<R>, a: &Around<'_>) -> io::Result<()> {
        let kind = char::from_u32(words.word()?).ok_or_else(|| bad("a type"))?;
        let term = self.id(words.word()?)?;
        let value = words.wide()?;
        if self.checked == 0 {
            self.evaluator.start(a.pool);
        }
        self.checked += 1;
        let computed = self.evaluator.eval_more(a.pool, term, a.values);
        let same = match kind {
            'J' => computed == value,
            'F' => {
                let [x, y] = [computed, value].map(|v| f32::from_bits(v as u32));
                x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
            }
            'D' => {
                let [x, y] = [computed, value].map(f64::from_bits);
                x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
            }
            _ => computed as u32 == value as u32,
        };
        if !same {
            let shown = a.pool.display(term);
            self.contradiction(format!("{kind} {value:#x} is {computed:#x}: {shown}"));
        }
        Ok(())
    }

    fn contradiction(&mut self, what: String) {
        if self.wrong.len() < SHOWN {
            self.wrong.push(what);
        }
    }

    /// The conditions of the path are complete; which of them the input breaks, if any.
    pub fn finish(&mut self, pool: &Pool, places: &mut Places, values: &Model, checks: bool) {
        self.conditions.finish(&self.path);
        for (decision, whence) in self.decisions.iter_mut().zip(self.whence.drain(..)) {
            decision.near = places.near(whence);
        }
        if checks {
            let path: Vec<Term> = self.path.iter().map(|c| c.term).collect();
            if let Some(first) = self.evaluator.first_false(pool, &path, values) {
                self.contradiction(format!("the input breaks condition {first} of its path"));
            }
        }
    }
}

/// A run at a place of the program, whose path can be split.
struct Here<'a, 'b> {
    trace: &'a mut Trace,
    around: &'a mut Around<'b>,
    site: u32,
}

impl Splits for Here<'_, '_> {
    fn parts(&mut self) -> (&mut Pool, &mut Solver, &PathCondition) {
        let around = &mut *self.around;
        (around.pool, around.solver, &self.trace.path)
    }

    fn eval(&mut self, t: Term) -> u64 {
        let around = &mut *self.around;
        around.evaluator.eval(around.pool, t, around.values)
    }

    fn split(&mut self, condition: Term) {
        let (trace, around) = (&mut *self.trace, &mut *self.around);
        trace.decide(
            self.site,
            condition,
            wire::HOLDS,
            Origin::Branch,
            Side::On,
            around,
        );
    }
}

/// The target of the other side of a check that holds, or fails.
fn side(head: u32) -> Side {
    match head & wire::HOLDS {
        0 => Side::On,
        _ => Side::Error,
    }
}

/// A place in words.
pub(crate) fn describe(places: &Places, site: u32) -> String {
    match places.info(site) {
        Some(info) => {
            let method = info.place.method.split('(').next().unwrap_or_default();
            format!("{}:{}", method.replace('/', "."), info.line)
        }
        None => "the entry point".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::SolverOptions;

    /// `x + 1` of an int x that is 5, and what the JVM says that it is.
    fn faults(said: u32) -> Vec<String> {
        let head = opcode::IADD | wire::SECOND_CONSTANT;
        let check = [wire::CHECK, u32::from(b'I'), 2, said, 0];
        let mut words = vec![wire::SYMBOL, u32::from(b'I'), 1, 1, u32::from(b'x')];
        words.extend([head, 1, 1]);
        words.extend(check);
        words.extend([wire::END, 0]);
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let (mut pool, mut inputs) = (Pool::new(), Inputs::default());
        let object = inputs.object(&mut pool, "x", 'I', 1).unwrap();
        let mut values = Model::new();
        values.set(inputs.objects[object].symbols[0], 5);
        let around = Around {
            pool: &mut pool,
            solver: &mut Solver::new(SolverOptions::default()),
            evaluator: &mut Evaluator::new(),
            inputs: &mut inputs,
            places: &mut Places::default(),
            values: &values,
            stop: Stop::never(),
        };
        let mut trace = Trace::new();
        trace.read(&mut Words::new(&bytes[..]), around).unwrap();
        assert_eq!(trace.checked, 1);
        trace.wrong
    }

    #[test]
    fn planted_faults_are_found() {
        assert!(faults(6).is_empty());
        assert_eq!(faults(7).len(), 1);
    }
}
