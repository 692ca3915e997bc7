//! One meaning, several ways to compute it: random programs run by the inner loop and by the slow way alone, and, with
//! the input of a path as plain bytes, concretely. The first two must agree in everything that a path is, under any
//! input; a concrete run must do what the path says of its own input.

use super::explore::{Explored, Way, content, explore, global};
use super::program::{CONCRETE, INPUT, SYMBOLIC, program};
use super::shrink::shrink;
use ::explore::Ending;
use ir::print::print;
use ir::{Module, Verified};
use memory::ObjectKind;
use polypath_exec::{Machine, MachineOptions, PathProgress, State, Termination};
use solver::{Budget, Model};
use term::Term;
use testkit::Random;

/// Paths of a program at most.
const PATHS: usize = 24;
/// Paths of a program that are run again on their own input.
const REPLAYED: usize = 3;

/// Everything that a path is under an input: one line for each thing.
fn observe(m: &mut Machine, s: &mut State, end: &Termination, model: &Model) -> Vec<String> {
    let mut lines = vec![
        ending(m, end, model),
        format!("pc {}", s.hot.pc),
        format!("site {}, hash {:x}", s.hot.site as i32, s.hot.hash),
    ];
    for (depth, f) in s.frames().iter().enumerate() {
        let function = f.function;
        lines.push(format!(
            "frame {depth}: function {function}, back to {}",
            f.return_pc
        ));
        for r in f.base..f.top {
            let value = s.reg_of(f, (r - f.base) as usize);
            let bits = match value.term {
                Term::NONE => value.bits,
                term => m.reason.evaluator.eval(&m.reason.pool, term, model),
            };
            lines.push(format!("  r{} = {bits:#x}", r - f.base));
        }
    }
    let live = s.memory.objects_between(0, u64::MAX);
    let kinds = [ObjectKind::Global, ObjectKind::Stack];
    let live = live.filter(|o| o.live && kinds.contains(&o.kind) && o.size <= 200);
    for o in live.collect::<Vec<_>>() {
        let bytes = content(m, s, o.start, o.size, model);
        lines.push(format!("{:#x}: {bytes:x?}", o.start));
    }
    lines
}

fn ending(m: &mut Machine, end: &Termination, model: &Model) -> String {
    match end {
        Termination::Exit(status) => format!("exit {}", m.status_under(*status, model)),
        Termination::Error(e) => format!("error {} at {}", e.kind.id(), e.pc),
        Termination::Cut(ending) => format!("cut: {}", ending.name()),
        Termination::Internal(what) => panic!("the machine contradicts itself: {what}"),
    }
}

/// What the two runs of a path must have in common beyond the input.
fn trace(s: &State, end: &Termination) -> String {
    let message = match end {
        Termination::Error(e) => e.message.as_str(),
        _ => "",
    };
    let PathProgress {
        depth,
        instructions,
        ..
    } = s.progress;
    format!(
        "{depth} forks, {instructions} instructions, {:?} {message}",
        s.trail.choices()
    )
}

/// Inputs that the paths are compared under: that of the path, and some more.
fn models(s: &State) -> Vec<Model> {
    let mut models = vec![s.witness.clone()];
    for fill in [0x00, 0x80, 0xff, 0x5a] {
        let mut model = Model::new();
        for symbol in s.objects.iter().flat_map(|o| o.symbols.iter()) {
            model.set(*symbol, fill);
        }
        models.push(model);
    }
    models
}

fn first_difference(a: &[String], b: &[String]) -> Option<String> {
    let lines = a.iter().zip(b).find(|(a, b)| a != b);
    let lengths = || format!("{} lines and {} lines", a.len(), b.len());
    match lines {
        Some((a, b)) => Some(format!("`{a}` and `{b}`")),
        None => (a.len() != b.len()).then(lengths),
    }
}

/// The difference between two explorations of one program.
fn differ(a: &mut Explored, b: &mut Explored) -> Option<String> {
    if a.paths.len() != b.paths.len() {
        return Some(format!("{} and {} paths", a.paths.len(), b.paths.len()));
    }
    for (n, ((s, end), (t, end_t))) in a.paths.iter_mut().zip(&mut b.paths).enumerate() {
        if [&*end, &*end_t].contains(&&Termination::Cut(Ending::Instructions)) {
            // A shrunk program may loop for ever; where it is cut depends on the slices.
            return None;
        }
        let (one, other) = (trace(s, end), trace(t, end_t));
        if one != other {
            return Some(format!("path {n}: `{one}` and `{other}`"));
        }
        for (x, y) in models(s).iter().zip(&models(t)) {
            let one = observe(&mut a.machine, s, end, x);
            let other = observe(&mut b.machine, t, end_t, y);
            if let Some(difference) = first_difference(&one, &other) {
                return Some(format!("path {n}: {difference}"));
            }
        }
    }
    let covered = (a.machine.covered(), b.machine.covered());
    (covered.0 != covered.1).then(|| format!("coverage {covered:?}"))
}

/// The program on one input.
fn concrete(m: &Module, input: &[u8]) -> Verified {
    let mut m = m.clone();
    for name in m.externs.iter_mut().filter(|name| *name == SYMBOLIC) {
        *name = CONCRETE.to_string();
    }
    for g in m.globals.iter_mut().filter(|g| g.name == INPUT) {
        g.init = input.to_vec();
    }
    Verified::new(m).expect("only a name and bytes have changed")
}

/// The difference between a path and a run on its input.
fn differs_concretely(program: &Module, a: &mut Explored, way: &Way) -> Option<String> {
    let (address, size) = global(program, INPUT)?;
    for (n, (s, end)) in a.paths.iter_mut().enumerate().take(REPLAYED) {
        if matches!(end, Termination::Cut(_) | Termination::Internal(_)) {
            continue;
        }
        let witness = s.witness.clone();
        let Some(object) = s.objects.iter().find(|o| o.name.as_ref() == "x") else {
            continue;
        };
        assert_eq!(object.symbols.len() as u64, size);
        let input: Vec<u8> = object
            .symbols
            .iter()
            .map(|x| witness.get(*x) as u8)
            .collect();
        let mut run = explore(concrete(program, &input), way);
        let [(t, end_t)] = run.paths.as_mut_slice() else {
            return Some(format!("path {n} on {input:x?}: {} paths", run.paths.len()));
        };
        let one = observe(&mut a.machine, s, end, &witness);
        let other = observe(&mut run.machine, t, end_t, &Model::new());
        if let Some(difference) = first_difference(&one, &other) {
            return Some(format!(
                "path {n} on {input:x?} at {address:#x}: {difference}"
            ));
        }
    }
    None
}

/// In what the ways to run a program differ.
pub fn disagreement(program: &Verified, slice: u64, floats: bool) -> Option<String> {
    let way = |fast: bool, slice: u64| Way {
        options: MachineOptions {
            fast,
            budget: Budget {
                conflicts: 2000,
                seconds: f64::INFINITY,
                ..Budget::default()
            },
            ..MachineOptions::default()
        },
        slice,
        paths: PATHS,
        instructions: 20_000,
        ..Way::default()
    };
    let mut fast = explore(program.clone(), &way(true, slice));
    let mut slow = explore(program.clone(), &way(false, 200_000));
    if let Some(what) = differ(&mut fast, &mut slow) {
        return Some(format!("the inner loop and the slow way: {what}"));
    }
    // Of a NaN, terms and the processor may choose different ones.
    if floats {
        return None;
    }
    let what = differs_concretely(program, &mut fast, &way(true, slice))?;
    Some(format!("symbolic and concrete: {what}"))
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |n| n.parse().expect("a number"))
}

#[test]
fn the_ways_to_run_a_program_agree() {
    let (first, count) = (
        number("POLYPATH_IR_SEED", 0),
        number("POLYPATH_IR_PROGRAMS", 300),
    );
    let mut failed = Vec::new();
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let (module, floats) = program(&mut random);
        let slice = random.pick(&[1, 7, 100, 200_000]);
        let text = print(&module);
        let module = Verified::new(module).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        let disagree = |m: &Verified| {
            let run = std::panic::AssertUnwindSafe(|| disagreement(m, slice, floats));
            std::panic::catch_unwind(run).unwrap_or_else(|_| Some("a panic".to_string()))
        };
        let Some(what) = disagree(&module) else {
            continue;
        };
        let kind = |what: &str| what.split(':').next().map(str::to_string);
        let still = |m: &Verified| disagree(m).is_some_and(|other| kind(&other) == kind(&what));
        let small = shrink(&text, still);
        let shown = super::shrink::read(&small).and_then(|m| disagree(&m));
        failed.push(seed);
        eprintln!("seed {seed}, slice {slice}: {what}\nshrunk: {shown:?}\n{small}");
        if failed.len() >= 3 {
            break;
        }
    }
    assert!(failed.is_empty(), "seeds {failed:?} disagree, see above");
}

/// Programs that say little are no test: most of them fork, load, call, and end in a result.
#[test]
fn random_programs_are_worth_running() {
    let (mut paths, mut exits, mut instructions, mut symbolic) = (0, 0, 0, 0);
    let programs = 100;
    for seed in 0..programs {
        let (module, _) = program(&mut Random::new(seed));
        let way = Way {
            paths: PATHS,
            ..Way::default()
        };
        let run = explore(Verified::new(module).unwrap(), &way);
        paths += run.paths.len() as u64;
        for (s, end) in &run.paths {
            exits += u64::from(matches!(end, Termination::Exit(_)));
            instructions += s.progress.instructions;
            symbolic += u64::from(s.frames().last().is_some_and(|f| f.symbolic));
        }
    }
    let means =
        format!("{paths} paths, {exits} exits, {instructions} instructions, {symbolic} symbolic");
    eprintln!("{means}");
    assert!(2 * paths > 3 * programs && exits > paths / 2, "{means}");
    assert!(instructions > 60 * paths && symbolic > paths / 2, "{means}");
}
