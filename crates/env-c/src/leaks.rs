//! Leak check: a conservative scan from globals, mappings and live stack objects, under one model of the path.
//!
//! Under a model every word is concrete, so a reported object leaks in that model's test. A pointer computed from
//! input may lead to different objects under different models of a path: if only such pointers lead to an object, the
//! solver is asked for a model in which none does, and the scan is repeated under that one.

use exec::Machine;
use exec::State;
use exec::{ErrorKind, ProgramError, Termination, WrongAccess};
use explore::Loss;
use memory::{Object, ObjectKind, Value};
use solver::{Ask, Model, NoTrials, Origin, Outcome};
use std::collections::HashSet;
use term::Term;

/// Bytes scanned between two looks at the run's end.
const STOP_EVERY: u64 = 4096;
/// Objects asked about on one path.
const MAX_QUESTIONS: usize = 16;

/// The result of a scan.
#[derive(Default)]
struct Scan {
    /// Objects that something leads to, by their addresses.
    reached: HashSet<u64>,
    /// Objects to which concrete words lead from objects that concrete words reach.
    certain: HashSet<u64>,
    /// Symbolic words that lead to an object under the model.
    pointers: Vec<(Object, Term)>,
}

/// Heap objects still allocated at exit that no pointer in memory leads to.
pub fn check(m: &mut Machine, s: &mut State) -> Result<(), Termination> {
    let witness = s.witness.clone();
    let found = scan(m, s, &witness)?;
    let unreached = lost(s, &found);
    if !unreached.is_empty() {
        return Err(leak(m, s, &unreached));
    }
    let mut objects: Vec<Object> = found.pointers.iter().map(|&(o, _)| o).collect();
    objects.retain(|o| !found.certain.contains(&o.start));
    objects.sort_by_key(|o| o.start);
    objects.dedup();
    let unasked = objects.len().saturating_sub(MAX_QUESTIONS);
    m.stats.losses.add(Loss::Leaks, unasked as u64);
    for o in objects.into_iter().take(MAX_QUESTIONS) {
        let elsewhere = points_elsewhere(m, &found, &o);
        let (budget, trials) = (m.options.budget, &mut NoTrials);
        let outcome = m.reason.solver.feasible(
            &mut m.reason.pool,
            elsewhere,
            Ask::new(&s.path, &s.witness, &budget).heard_by(trials),
        );
        let model = match outcome {
            Outcome::Sat(model) => model,
            Outcome::Unsat(_) => continue,
            Outcome::Unknown(_) => {
                m.lose(Loss::Leaks);
                continue;
            }
        };
        let under_model = scan(m, s, &model)?;
        let unreached = lost(s, &under_model);
        if !unreached.is_empty() {
            let mut leaking = Box::new(s.fork(&mut m.tlb));
            m.assume(&mut leaking, elsewhere, Origin::Check);
            leaking.witness = model;
            let error = leak(m, &leaking, &unreached);
            m.ends_beside(leaking, error);
            return Ok(());
        }
    }
    Ok(())
}

fn leak(m: &mut Machine, s: &State, lost: &[Object]) -> Termination {
    let first = m.sized(s, &lost[0]).describe(&|o| m.object_name(s, o));
    let message = match lost.len() {
        1 => format!("a {first} leaks"),
        n => format!("{n} objects leak, the first is a {first}"),
    };
    Termination::Error(ProgramError {
        kind: ErrorKind::Leak,
        message,
        pc: lost[0].tag,
        object: Some(WrongAccess {
            start: lost[0].start,
            before: 0,
            is_first: true,
            is_at_end: false,
            write: false,
        }),
    })
}

/// The condition that no symbolic pointer found leads to the object.
fn points_elsewhere(m: &mut Machine, scan: &Scan, object: &Object) -> Term {
    let mut all = m.reason.pool.tru();
    for &(to, word) in &scan.pointers {
        if to.start == object.start {
            // As far as behind the last byte, as in the scan.
            let inside = m.inside(word, object.start, object.end());
            let outside = m.reason.pool.not(inside);
            all = m.reason.pool.and(all, outside);
        }
    }
    all
}

fn scan(m: &mut Machine, s: &mut State, model: &Model) -> Result<Scan, Termination> {
    let mut scan = Scan::default();
    let mut todo: Vec<(Object, bool)> = s
        .memory
        .objects_between(0, u64::MAX)
        .filter(|o| o.kind != ObjectKind::Heap)
        .map(|o| (o, true))
        .collect();
    while let Some((o, certain)) = todo.pop() {
        let mut at = o.start.next_multiple_of(8);
        while at + 8 <= o.end() {
            if at.is_multiple_of(STOP_EVERY) {
                m.may_go_on()?;
            }
            let word = match s.memory.read_concrete(at, 8) {
                Some(bytes) => {
                    let bytes = bytes.try_into().unwrap_or_default();
                    Value::concrete(u64::from_le_bytes(bytes))
                }
                // What was never written leads nowhere.
                None => s
                    .memory
                    .load(&mut m.reason.pool, &mut m.tlb, at, 8)
                    .unwrap_or_default(),
            };
            at += 8;
            let value = match word.term {
                Term::NONE => word.bits,
                term => m.reason.evaluator.eval(&m.reason.pool, term, model),
            };
            let Some(to) = s.memory.object_at(value) else {
                continue;
            };
            let inside = to.live && (to.contains(value) || value == to.end());
            if !inside || to.kind != ObjectKind::Heap {
                continue;
            }
            if word.term.is_some() {
                scan.pointers.push((to, word.term));
            }
            let certain = certain && word.term.is_none();
            let is_new = scan.reached.insert(to.start);
            // Once more when it turns out to be certain.
            if certain && scan.certain.insert(to.start) || is_new {
                todo.push((to, certain));
            }
        }
    }
    Ok(scan)
}

fn lost(s: &State, scan: &Scan) -> Vec<Object> {
    let live = s.memory.live_heap();
    live.filter(|o| !scan.reached.contains(&o.start)).collect()
}
