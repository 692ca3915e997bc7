//! Terms against the JVM: each result of a program that runs through all instructions is compared with its term, on special
//! operands of each type (check mode).

use dse::{Input, Program as _, Quota};
use explore::{Ended, InDoubt, PathEnd, PathOutcome, Sink, SoFar as _};
use host::Stop;
use polypath_jvm::{Fencing, Java, Kit, Options, Tools};
use solver::{Model, Solver, SolverOptions};
use std::path::Path;
use std::time::Duration;

/// Notes how the last path ended.
#[derive(Default)]
pub(crate) struct Last(pub Option<PathOutcome>);

impl Sink for Last {
    fn wants_input(&mut self, _: Ended) -> bool {
        false
    }

    fn ended(&mut self, path: PathEnd) -> Option<InDoubt> {
        self.0 = Some(path.outcome);
        None
    }
}

const INTS: [i32; 9] = [0, 1, -1, 31, 33, 127, -128, i32::MIN, i32::MAX];
const LONGS: [i64; 8] = [0, 1, -1, 63, 1 << 31, -(1 << 40), i64::MIN, i64::MAX];
const DOUBLES: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    5e-324,
    1e-310,
    2147483648.5,
    -9.3e18,
    16777217.0,
];

pub(crate) fn compile(to: &Path, source: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java");
    let mut command = testkit::java::javac();
    command.args(["-g", "-d"]).arg(to);
    let status = command.arg(root.join(source)).status().expect("javac");
    assert!(status.success());
}

/// For a run that comes to its end.
pub(crate) const QUOTA: Quota = Quota {
    steps: 1 << 20,
    is_last: true,
    may_come_back: false,
};

/// A JVM with a program, and a solver of its own.
pub(crate) fn started(options: Options) -> Java {
    let solver = Solver::new(SolverOptions::default());
    Java::new(options, solver, Box::new(|_| None), Stop::never(), 0).unwrap()
}

/// Of a run in check mode with strings and arrays of up to so many elements.
pub(crate) fn options(place: &Path, entry: &str, longest: u32) -> Options {
    Options {
        kit: Kit::ensure(Tools::find(None).unwrap(), &mut |_| {}).unwrap(),
        class_path: vec![place.to_owned()],
        entry: entry.into(),
        lengths: polypath_jvm::Lengths {
            first: longest,
            arrays: longest,
            strings: longest,
            ..polypath_jvm::Lengths::default()
        },
        string_length: None,
        main: None,
        heap_mb: 256,
        run_time: Duration::from_secs(60),
        checks: true,
        log: place.join("log"),
        fence: Fencing::Open,
        borrowed: None,
    }
}

#[test]
fn every_instruction_computes_what_its_term_says() {
    let _limit = testkit::limit();
    if !testkit::need("java") {
        return;
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-check");
    std::fs::create_dir_all(&place).unwrap();
    compile(&place, "Operations.java");
    let options = options(&place, "Operations.all", 4);
    let mut last = Last::default();
    let mut java = started(options);
    let mut run = |java: &mut Java, values: Model| {
        let start = 0;
        let mut target = java.heard_by(&mut last);
        target.run(&Input { start, values }, QUOTA)
    };
    run(&mut java, Model::new());
    // The parameters' symbols, in order.
    let symbols = java
        .heard_by(&mut Last::default())
        .reason()
        .pool
        .symbol_count();
    assert_eq!(symbols, 8);
    let symbols: Vec<term::Symbol> = (0..8).map(term::Symbol).collect();
    let mut runs = 0u64;
    for (i, g) in DOUBLES.iter().enumerate() {
        // Of all pairs each third: every operand is on both sides of some, and next to itself or its neighbour.
        for (j, h) in DOUBLES.iter().enumerate().skip(i % 3).step_by(3) {
            let mut values = Model::new();
            let int = |at: usize| u64::from(INTS[at % INTS.len()] as u32);
            let long = |at: usize| LONGS[at % LONGS.len()] as u64;
            let float = |x: f64| u64::from((x as f32).to_bits());
            values.set(symbols[0], int(i));
            values.set(symbols[1], int(j));
            values.set(symbols[2], long(i));
            values.set(symbols[3], long(j));
            values.set(symbols[4], float(*g));
            values.set(symbols[5], float(*h));
            values.set(symbols[6], g.to_bits());
            values.set(symbols[7], h.to_bits());
            run(&mut java, values);
            runs += 1;
        }
    }
    let (totals, rows) = (java.totals(), java.rows(false));
    let count = |name: &str| rows.iter().find(|row| row.0 == name).map_or(0, |row| row.1);
    drop(java);
    assert_eq!(last.0, Some(PathOutcome::Returned("V".into())));
    assert_eq!(totals.wrong, Vec::<String>::new());
    assert!(totals.lost_at.is_empty(), "{:?}", totals.lost_at);
    let checked = count("java_checked");
    assert!(checked > 100 * runs, "{checked} of {runs}");
    assert_eq!(count("java_jvms"), 1);
}
