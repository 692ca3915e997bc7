//! How far the other sides of decisions are from uncovered code, as a JVM and the weaver tell it.

use dse::{Input, Program as _, Quota};
use explore::{Ended, InDoubt, PathEnd, Sink};
use host::Stop;
use polypath_jvm::{Fencing, Java, Kit, Options, Tools};
use search::UNKNOWN;
use solver::{Model, Origin, Solver, SolverOptions};
use std::path::Path;
use std::time::Duration;

struct Deaf;

impl Sink for Deaf {
    fn wants_input(&mut self, _: Ended) -> bool {
        false
    }

    fn ended(&mut self, _: PathEnd) -> Option<InDoubt> {
        None
    }
}

#[test]
fn decisions_know_the_uncovered_code_behind_their_other_sides() {
    let _limit = testkit::limit();
    if !testkit::need("java") {
        return;
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-distances");
    std::fs::create_dir_all(&place).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java/Distances.java");
    let mut command = testkit::java::javac();
    let status = command.args(["-g", "-d"]).arg(&place).arg(source).status();
    assert!(status.expect("javac").success());
    let options = Options {
        kit: Kit::ensure(Tools::find(None).unwrap(), &mut |_| {}).unwrap(),
        class_path: vec![place.clone()],
        entry: "Distances.at".into(),
        lengths: polypath_jvm::Lengths {
            first: 4,
            arrays: 4,
            strings: 4,
            ..polypath_jvm::Lengths::default()
        },
        string_length: Some(4),
        main: None,
        heap_mb: 256,
        run_time: Duration::from_secs(60),
        checks: false,
        log: place.join("log"),
        fence: Fencing::Open,
        borrowed: None,
    };
    let mut deaf = Deaf;
    let solver = Solver::new(SolverOptions::default());
    let mut java = Java::new(options, solver, Box::new(|_| None), Stop::never(), 0).unwrap();
    let quota = Quota {
        steps: 1 << 20,
        is_last: true,
        may_come_back: false,
    };
    let first = Input {
        start: 0,
        values: Model::new(),
    };
    let executed = java.heard_by(&mut deaf).run(&first, quota);
    assert!(!executed.newly_covered.is_empty());
    let (mut own, mut librarys, mut failing) = (0, 0, 0);
    for decision in &executed.decisions {
        let info = java.places().all().get(decision.site as usize);
        let Some(info) = info else { continue };
        let near = decision.near;
        let is_own = info.place.method.starts_with("Distances.");
        match decision.origin {
            Origin::BoundsCheck if is_own => {
                assert_eq!(near.distance, UNKNOWN);
                failing += 1;
            }
            _ if is_own && info.line == 5 => {
                assert_eq!(near.distance, 0);
                own += 1;
            }
            // What follows the call begins some instructions later.
            _ if !is_own && near.distance != UNKNOWN => {
                assert!((1..40).contains(&near.distance), "{}", near.distance);
                librarys += 1;
            }
            _ => {}
        }
        if near.distance != UNKNOWN {
            assert!(!java.places().all()[near.site as usize].covered);
        }
    }
    assert!(
        own == 1 && librarys > 0 && failing == 1,
        "{own} {librarys} {failing}"
    );
}
