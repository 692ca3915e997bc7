//! The pace of a run: how fast it goes, when it saw something new, what its time goes into, why states wait, and how long it may
//! take.

use crate::outlook::Outlook;
use explore::Counters;
use std::collections::BTreeMap;
use std::time::Duration;
use testcase::TimePoint;

/// Rates are those of the last one or two of these.
const WINDOW_S: f64 = 5.0;
/// Before there is so much time to look back on, there are no rates and no estimates.
const LEAST_S: f64 = 0.1;
const LEAST_ESTIMATE_S: f64 = 1.0;
/// An estimate beyond this multiple of the time so far is none.
const FARTHEST: f64 = 100.0;
/// While there are more states than this part of the most that there were, the run still opens more than it explores.
const GROWS: f64 = 0.95;

/// The numbers at a moment.
#[derive(Clone, Copy, Default)]
struct PaceMark {
    t: f64,
    cpu_s: f64,
    paths: u64,
    instructions: u64,
}

impl PaceMark {
    fn of(point: &TimePoint) -> PaceMark {
        PaceMark {
            t: point.t,
            cpu_s: point.cpu_s,
            paths: point.paths + point.partial_paths,
            instructions: point.instructions,
        }
    }
}

/// Limits of the time of a run, which count from the moment when it was begun or continued last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowance {
    /// Wall-clock time.
    pub wall: Option<Duration>,
    /// Processor time.
    pub cpu: Option<Duration>,
}

/// See the module.
#[derive(Default)]
pub struct Pace {
    /// Limits of the time.
    pub allowance: Allowance,
    /// Two earlier moments; `None` before the first look.
    marks: Option<(PaceMark, PaceMark)>,
    outlook: Outlook,
    /// The most states that there were at a time.
    most_states: u64,
    /// When something was covered for the first time.
    last_new: f64,
    /// Processor time of writing results, in seconds.
    pub writing_s: f64,
    /// Writes so far.
    writes: u64,
    /// Wall-clock and processor time of the run before it was continued.
    before: (f64, f64),
}

/// So many writes are measured one by one: the first tests are files of their own. Asking the clock twice costs half as much as a test
/// in the pack, and so of the later writes only each sixteenth is measured, for itself and those before it.
const MEASURED_WRITES: u64 = 4096;
const WRITES_A_SAMPLE: u32 = 16;

impl Pace {
    /// For how many writes the time of the next one counts; 0: it is not measured.
    pub fn weight_of_next_write(&mut self) -> u32 {
        self.writes += 1;
        match self.writes {
            n if n <= MEASURED_WRITES => 1,
            n if n.is_multiple_of(u64::from(WRITES_A_SAMPLE)) => WRITES_A_SAMPLE,
            _ => 0,
        }
    }

    /// Counts from here: the run has had so much wall-clock and processor time before.
    pub fn goes_on(&mut self, wall_s: f64, cpu_s: f64) {
        self.before = (wall_s, cpu_s);
        self.last_new = wall_s;
    }

    /// Something was covered for the first time.
    pub fn has_new(&mut self, t: f64) {
        self.last_new = t;
    }

    /// Completes a record whose counts are there.
    /// `explored`: the part of the tree of paths, if states fork.
    pub fn complete(&mut self, point: &mut TimePoint, counters: &Counters, explored: Option<f64>) {
        let now = PaceMark::of(point);
        let first = PaceMark {
            t: self.before.0,
            cpu_s: self.before.1,
            ..if self.before.0 > 0.0 {
                now
            } else {
                PaceMark::default()
            }
        };
        let (older, newer) = *self.marks.get_or_insert((first, first));
        if now.t - newer.t >= WINDOW_S {
            self.marks = Some((newer, now));
        }
        let passed = now.t - older.t;
        if passed >= LEAST_S {
            // Pruned states that wait were counted as ended.
            point.paths_per_s = now.paths.saturating_sub(older.paths) as f64 / passed;
            let instructions = now.instructions.saturating_sub(older.instructions);
            point.instructions_per_s = instructions as f64 / passed;
        }
        point.since_new_s = (point.t - self.last_new).max(0.0);
        point.explored = explored.unwrap_or(0.0);
        let elapsed = Duration::from_secs_f64(point.t.max(0.0));
        let left = self.outlook.left(elapsed, point.explored);
        self.most_states = self.most_states.max(point.states);
        let grows = point.states as f64 > GROWS * self.most_states as f64;
        let is_known = point.t >= LEAST_ESTIMATE_S && left <= FARTHEST * point.t && !grows;
        point.left_s = (explored.is_some() && is_known).then_some(left);
        point.writing_s = self.writing_s;
        point.executing_s = (point.cpu_s - point.solver_time_s - point.writing_s).max(0.0);
        point.waits = waits(counters);
        let busy = (now.cpu_s - older.cpu_s) / passed.max(LEAST_S);
        let wall = self.allowance.wall;
        let wall = wall.map(|limit| limit.as_secs_f64() - (point.t - self.before.0));
        let cpu = self.allowance.cpu.filter(|_| busy > 0.0);
        let cpu = cpu.map(|limit| (limit.as_secs_f64() - (point.cpu_s - self.before.1)) / busy);
        let least = wall.into_iter().chain(cpu).reduce(f64::min);
        point.limit_left_s = least.map(|left| left.max(0.0));
    }
}

/// The states that wait, by what they wait for.
fn waits(n: &Counters) -> BTreeMap<String, u64> {
    let live = n.live as u64;
    let memory = n.spilled.saturating_sub(n.taken_up).min(live);
    let pruned = n.pruning.as_ref().map_or(0, |p| p.waiting);
    let parked = n
        .parked_by
        .iter()
        .map(|(why, &sides)| (format!("solver: {why}"), sides));
    [
        ("turn".to_string(), live - memory),
        ("memory".to_string(), memory),
        ("pruned".to_string(), pruned),
    ]
    .into_iter()
    .chain(parked)
    .filter(|&(_, states)| states > 0)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(t: f64, paths: u64, cpu_s: f64) -> TimePoint {
        TimePoint {
            t,
            cpu_s,
            paths,
            instructions: 1000 * paths,
            solver_time_s: cpu_s / 2.0,
            ..TimePoint::default()
        }
    }

    /// A run that ends after ten seconds on two cores, at an even pace.
    #[test]
    fn an_even_run_is_told_evenly() {
        let mut pace = Pace {
            allowance: Allowance {
                wall: Some(Duration::from_secs(60)),
                cpu: Some(Duration::from_secs(20)),
            },
            ..Pace::default()
        };
        pace.has_new(0.5);
        let counters = Counters {
            live: 5,
            spilled: 3,
            taken_up: 1,
            parked_by: [("time".into(), 2)].into(),
            ..Counters::default()
        };
        let mut point = TimePoint::default();
        for tick in 1..=80_u32 {
            let t = f64::from(tick) / 10.0;
            point = at(t, u64::from(tick) * 10, 2.0 * t);
            pace.writing_s = t / 10.0;
            pace.complete(&mut point, &counters, Some(t / 10.0));
        }
        let is = |number: f64, wanted: f64| {
            assert!((number - wanted).abs() < 0.3, "{number}, not {wanted}")
        };
        is(point.paths_per_s, 100.0);
        is(point.instructions_per_s / 1000.0, 100.0);
        is(point.left_s.expect("an estimate"), 2.0);
        // 4 of the 20 s of processor time, at two in a second.
        is(point.limit_left_s.expect("a limit"), 2.0);
        is(point.since_new_s, 7.5);
        is(point.executing_s, 16.0 - 8.0 - 0.8);
        // A run that has never had as many states opens more than it explores.
        let mut more = TimePoint {
            states: 10,
            ..at(8.1, 810, 16.2)
        };
        pace.complete(&mut more, &counters, Some(0.81));
        assert_eq!(more.left_s, None);
        let mut fewer = TimePoint {
            states: 9,
            ..at(8.2, 820, 16.4)
        };
        pace.complete(&mut fewer, &counters, Some(0.82));
        is(fewer.left_s.expect("an estimate"), 1.8);
        let waits = [("turn", 3), ("memory", 2), ("solver: time", 2)];
        assert_eq!(
            point.waits,
            waits.map(|(why, n)| (why.to_string(), n)).into()
        );
    }

    /// Rates of a run that goes on are those since then, and what nobody can know is not told.
    #[test]
    fn a_run_that_goes_on_has_the_pace_of_today() {
        let mut pace = Pace::default();
        pace.goes_on(100.0, 200.0);
        let counters = Counters::default();
        for tick in 0..=20_u32 {
            let mut point = at(
                100.0 + f64::from(tick) / 10.0,
                1_000_000 + u64::from(tick),
                200.0,
            );
            pace.complete(&mut point, &counters, None);
            assert!(point.paths_per_s < 20.0, "{}", point.paths_per_s);
            assert_eq!((point.left_s, point.limit_left_s), (None, None));
            assert!(point.since_new_s < 3.0);
        }
    }
}
