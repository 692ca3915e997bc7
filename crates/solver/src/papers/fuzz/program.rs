//! The query as a program: conditions in order, left at the first one that is false, with the coverage that is
//! recorded on the way.

use crate::model::Model;
use crate::numbers::{Variable, stored_bits, variables};
use term::{FloatFormat, LANES, Lanes, Op, Pool, Sort, Tape, Term};

/// The coverage that a place in the program records.
#[derive(Clone, Copy)]
enum Shows {
    /// The truth of a comparison, or which arm is taken.
    Truth,
    /// The class of a float: of its sign, and zero, subnormal, below 1, from 1 on, infinite, or no number.
    Class(FloatFormat),
}

/// A place in the program that coverage counts.
struct Watch {
    shows: Shows,
    root: usize,
    /// Operations before it has its value.
    reach: usize,
    /// The coverage recorded so far, as bits.
    seen: u16,
}

/// The results of the inputs of one run.
pub(super) struct Run {
    /// By lane: the number of conditions that are true before the first false one.
    pub passed: [usize; LANES],
    /// By lane: does the input cover something new?
    pub is_new: [bool; LANES],
    /// Operations that were evaluated; lanes share the reading of them.
    pub cost: u64,
}

/// The query.
pub(super) struct CompiledQuery {
    pub variables: Vec<Variable>,
    tape: Tape,
    lanes: Lanes,
    /// By condition: the number of operations up to it.
    reaches: Vec<usize>,
    watches: Vec<Watch>,
    /// By number of conditions passed: did an input get exactly so far?
    reached: Vec<bool>,
    start: Model,
}

impl CompiledQuery {
    pub fn new(pool: &Pool, conditions: &[Term], start: &Model) -> CompiledQuery {
        let variables = variables(pool, conditions);
        let inputs: Vec<Term> = variables.iter().map(|v| v.term).collect();
        let watched: Vec<(Term, Shows)> = pool
            .cone(conditions)
            .into_iter()
            .filter_map(|t| Some((t, shows(pool, t)?)))
            .collect();
        let mut roots = conditions.to_vec();
        roots.extend(watched.iter().map(|&(t, _)| t));
        let tape = Tape::over(pool, &roots, &inputs);
        let mut reach = 0;
        let reaches: Vec<usize> = (0..conditions.len())
            .map(|k| {
                reach = reach.max(tape.reach(k));
                reach
            })
            .collect();
        let mut watches: Vec<Watch> = (conditions.len()..)
            .zip(watched)
            .map(|(root, (_, shows))| Watch {
                shows,
                root,
                reach: tape.reach(root),
                seen: 0,
            })
            .collect();
        watches.sort_by_key(|watch| watch.reach);
        CompiledQuery {
            variables,
            tape,
            lanes: Lanes::new(),
            reached: vec![false; conditions.len() + 1],
            reaches,
            watches,
            start: start.clone(),
        }
    }

    /// How many conditions there are.
    pub fn conditions(&self) -> usize {
        self.reaches.len()
    }

    /// The input that the search starts from.
    pub fn witness(&self) -> Vec<u128> {
        self.variables.iter().map(|v| v.read(&self.start)).collect()
    }

    /// The assignment that an input is.
    pub fn model(&self, input: &[u128]) -> Model {
        let mut model = self.start.clone();
        for (variable, &bits) in self.variables.iter().zip(input) {
            variable.write(bits, &mut model);
        }
        model
    }

    /// Runs the inputs as far as any of them comes.
    pub fn run(&mut self, inputs: &[Vec<u128>; LANES]) -> Run {
        for (lane, input) in inputs.iter().enumerate() {
            for (variable, &bits) in input.iter().enumerate() {
                self.tape.set_lane(&mut self.lanes, lane, variable, bits);
            }
        }
        let mut run = Run {
            passed: [0; LANES],
            is_new: [false; LANES],
            cost: LANES as u64,
        };
        let mut done = 0;
        for (k, &reach) in self.reaches.iter().enumerate() {
            if reach > done || done == 0 {
                let (tape, lanes) = (&self.tape, &mut self.lanes);
                tape.run_lanes_between(&self.start, lanes, done..reach);
                done = reach;
            }
            let values = self.tape.values(&self.lanes, k);
            let mut is_alive = false;
            for (passed, value) in run.passed.iter_mut().zip(values) {
                *passed += usize::from(*passed == k && value & 1 != 0);
                is_alive |= *passed > k;
            }
            if !is_alive {
                break;
            }
        }
        self.cover(&mut run, done);
        run
    }

    /// Records what the inputs cover for the first time. Each is judged by the operations that it executed itself.
    fn cover(&mut self, run: &mut Run, done: usize) {
        let last = self.reaches.len() - 1;
        let ends = run.passed.map(|passed| self.reaches[passed.min(last)]);
        for lane in 0..LANES {
            let is_first = !std::mem::replace(&mut self.reached[run.passed[lane]], true);
            run.is_new[lane] |= is_first;
        }
        let mut looked = 0;
        for watch in &mut self.watches {
            if watch.reach > done {
                break;
            }
            looked += 1;
            let low = self.tape.values(&self.lanes, watch.root);
            let mut shown = [0u16; LANES];
            match watch.shows {
                Shows::Truth => {
                    for (shown, value) in shown.iter_mut().zip(low) {
                        *shown = 1 << (value & 1);
                    }
                }
                Shows::Class(format) => {
                    let high = self.tape.high_values(&self.lanes, watch.root);
                    for (shown, (&low, &high)) in shown.iter_mut().zip(low.iter().zip(high)) {
                        *shown = class(format, u128::from(low) | u128::from(high) << 64);
                    }
                }
            }
            let any = shown.iter().fold(0, |all, shown| all | shown);
            if any & !watch.seen == 0 {
                continue;
            }
            for lane in 0..LANES {
                if watch.reach <= ends[lane] && shown[lane] & !watch.seen != 0 {
                    watch.seen |= shown[lane];
                    run.is_new[lane] = true;
                }
            }
        }
        run.cost += ((done + looked) * (LANES / 2)) as u64;
    }
}

/// The coverage that is recorded at a term, if any.
fn shows(pool: &Pool, t: Term) -> Option<Shows> {
    match (pool.op(t), pool.sort(t)) {
        (Op::FpFromBits | Op::Symbol | Op::Ite, Sort::Float(_)) => None,
        (_, Sort::Float(_)) if pool.is_const(t) => None,
        (_, Sort::Float(format)) if format.bits() <= 128 => Some(Shows::Class(format)),
        (Op::Eq | Op::Ult | Op::Slt | Op::FCmp, _) => Some(Shows::Truth),
        _ => None,
    }
}

/// The class of a float, as one bit.
fn class(format: FloatFormat, bits: u128) -> u16 {
    if format == FloatFormat::DOUBLE {
        return class_of(bits as u64, 52, 0x7ff);
    }
    let sign = bits >> (format.bits() - 1);
    let magnitude = bits & ((1 << (format.bits() - 1)) - 1);
    // The upper bits of a magnitude decide, and whether there are lower ones.
    let shift = format.bits().saturating_sub(64);
    let upper = (magnitude >> shift) as u64;
    let rest = u64::from(magnitude & ((1 << shift) - 1) != 0);
    let stored = stored_bits(format) - shift;
    let upper = if format.has_integer_bit() {
        upper & !(1 << (stored - 1))
    } else {
        upper
    };
    let largest = (1 << format.exponent_bits()) - 1;
    class_of(upper | rest, stored, largest) << (6 * sign as u32)
}

/// [`class`] of a pattern of at most 64 bits; the sign counts if it is bit 63.
#[inline]
fn class_of(bits: u64, stored: u32, largest: u64) -> u16 {
    let magnitude = bits & !(1 << 63);
    let exponent = magnitude >> stored;
    let kind = if magnitude == 0 {
        0
    } else if exponent == 0 {
        1
    } else if exponent < largest / 2 {
        2
    } else if exponent < largest {
        3
    } else if magnitude == largest << stored {
        4
    } else {
        5
    };
    1 << (kind + 6 * (bits >> 63))
}
