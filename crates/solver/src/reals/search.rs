//! Branch and prune: boxes are contracted and halved, depth first. Newton's method starts in some of them.

use super::interval::Interval;
use super::newton;
use super::system::{Constraint, Kind, System};
use crate::invert::invert;
use crate::layers::Searched;
use crate::model::Model;
use crate::numeric::{Descent, Metric, Problem};
use crate::options::Points;
use fastrand::Rng;
use float::{FloatFormat, Reading, RoundingMode, pattern};
use linear::Deadline;
use term::{Evaluator, Pool, Term};

/// Ends of the first boxes, within the types of the variables: most programs' numbers are not large.
const FIRST: [f64; 3] = [32.0, 1e6, f64::INFINITY];
/// A variable is narrow enough at this width in relation to its numbers, which is a few doubles.
const NARROW: f64 = 1e-15;
/// Contractions of one box; fewer if it stops shrinking.
const CONTRACTIONS: usize = 12;
/// Newton's method starts in every so manieth box, and more often at first.
const NEWTON: u64 = 32;
/// The neighbors of a solution are searched with this part of the operations.
const PART: u64 = 32;
/// Boxes that wait.
const MOST_BOXES: usize = 4096;

/// The budget of a search.
pub(crate) struct Effort {
    pub seed: u64,
    /// Operations on intervals and on floats.
    pub ticks: u64,
    pub deadline: Option<Deadline>,
    /// What is done with the floats next to a solution.
    pub points: Points,
}

/// Searches a model of conditions. `tried` is shown the floats nearest to each real solution.
pub(crate) fn solve(
    pool: &Pool,
    evaluator: &mut Evaluator,
    conditions: &[Term],
    start: &Model,
    effort: &Effort,
    tried: &mut dyn FnMut(&Model),
) -> Searched {
    let system = System::new(pool, conditions);
    if system.is_empty() {
        return Searched::Exhausted;
    }
    let mut problem = Problem::new(pool, conditions, start, Metric::Steps);
    let mut rng = Rng::with_seed(effort.seed);
    let mut left = effort.ticks;
    let mut is_limited = false;
    let mut before: Vec<Interval> = Vec::new();
    for limit in FIRST {
        let first = system.first_box(limit);
        if first == before {
            break;
        }
        // Half of what is left, in equal parts for all cases.
        let mut cases = system.cases().len() as u64;
        for case in system.cases() {
            let mut boxes = Boxes {
                system: &system,
                case,
                waiting: vec![first.clone()],
                seen: 0,
                is_limited: false,
            };
            let mut ticks = left / 2 / cases;
            left -= ticks;
            cases = (cases - 1).max(1);
            while let Some(point) = boxes.next_point(&mut ticks, &mut rng, effort.deadline) {
                let near = nearest(pool, evaluator, &system, &point, start, &mut rng);
                tried(&near);
                is_limited = true;
                if effort.points == Points::Fuzzed {
                    let is_solution = evaluator.first_false(pool, conditions, &near).is_none();
                    return if is_solution {
                        Searched::Found(near)
                    } else {
                        Searched::Limited
                    };
                }
                let own = (effort.ticks / PART).min(ticks);
                ticks -= own;
                let (seed, deadline) = (rng.u64(..), effort.deadline);
                problem.start_from(near);
                let found = Descent::new(&mut problem, seed, own, deadline).run(&mut |_| {});
                if let Some(model) = found {
                    return Searched::Found(model);
                }
            }
            is_limited |= boxes.is_limited;
            left += ticks;
        }
        before = first;
    }
    if is_limited {
        Searched::Limited
    } else {
        Searched::Exhausted
    }
}

/// A search for real solutions.
struct Boxes<'a> {
    system: &'a System,
    case: &'a [Constraint],
    waiting: Vec<Vec<Interval>>,
    /// Boxes so far.
    seen: u64,
    /// Was a box left?
    is_limited: bool,
}

impl Boxes<'_> {
    /// The next solution, up to rounding; `None` if there is no box or no tick left.
    fn next_point(
        &mut self,
        ticks: &mut u64,
        rng: &mut Rng,
        deadline: Option<Deadline>,
    ) -> Option<Vec<f64>> {
        while let Some(mut of) = self.waiting.pop() {
            if *ticks == 0 || deadline.is_some_and(|end| end.is_past()) {
                self.is_limited = true;
                return None;
            }
            if !contract(self.system, self.case, &mut of, ticks) {
                continue;
            }
            let widest = (0..of.len()).max_by(|&a, &b| of[a].width().total_cmp(&of[b].width()))?;
            let center: Vec<f64> = of.iter().map(|x| x.middle()).collect();
            if of[widest].width() <= NARROW {
                return Some(center);
            }
            let (mut low, mut high) = (of.clone(), of);
            low[widest].high = center[widest];
            high[widest].low = center[widest];
            if self.waiting.len() < MOST_BOXES {
                let is_low_first = rng.bool();
                self.waiting.extend(if is_low_first {
                    [high, low]
                } else {
                    [low, high]
                });
            } else {
                self.is_limited = true;
            }
            self.seen += 1;
            if self.seen.is_power_of_two() || self.seen.is_multiple_of(NEWTON) {
                // Not where the conditions are flat.
                let start: Vec<f64> = center
                    .iter()
                    .map(|&x| if x == 0.0 { 1.0 } else { x })
                    .collect();
                if let Some(point) = newton::approach(self.system, self.case, &start, ticks) {
                    return Some(point);
                }
            }
        }
        None
    }
}

/// Contracts a box as long as it shrinks by much; "no" if it is empty.
fn contract(system: &System, case: &[Constraint], of: &mut [Interval], ticks: &mut u64) -> bool {
    for _ in 0..CONTRACTIONS {
        let before: f64 = of.iter().map(|x| x.width()).sum();
        *ticks = ticks.saturating_sub(system.cost(case));
        term::work::spend(system.cost(case));
        if !system.contract(case, of) {
            return false;
        }
        let after: f64 = of.iter().map(|x| x.width()).sum();
        if after > 0.9 * before {
            break;
        }
    }
    true
}

/// The start with the floats and integers nearest to a point.
fn nearest(
    pool: &Pool,
    evaluator: &mut Evaluator,
    system: &System,
    point: &[f64],
    start: &Model,
    rng: &mut Rng,
) -> Model {
    let mut model = start.clone();
    for (variable, &value) in system.variables.iter().zip(point) {
        let bits = match variable.kind {
            Kind::Signed => value.round() as i64 as u64,
            Kind::Unsigned => value.round() as u64,
            Kind::Float(format) => float_near(format, value),
        };
        let bits = bits & term::mask(pool.width(variable.bits));
        evaluator.start(pool);
        for (symbol, value) in
            invert(pool, evaluator, &model, variable.bits, bits, rng).unwrap_or_default()
        {
            model.set(symbol, value);
        }
    }
    model
}

/// The bits of the float nearest to a number, of at most 64.
fn float_near(format: FloatFormat, value: f64) -> u64 {
    let (reading, mode) = (Reading::Machine, RoundingMode::NearestEven);
    let bits = u128::from(value.to_bits());
    pattern::convert(FloatFormat::DOUBLE, format, reading, mode, bits) as u64
}
