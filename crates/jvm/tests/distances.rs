//! How far the other sides of decisions are from uncovered code, as a JVM and the weaver tell it.

use crate::check::{QUOTA, compile, options, started};
use dse::{Input, Program as _};
use explore::{Ended, InDoubt, PathEnd, Sink};
use polypath_jvm::Options;
use search::UNKNOWN;
use solver::{Model, Origin};
use std::path::Path;

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
    compile(&place, "Distances.java");
    let options = Options {
        string_length: Some(4),
        checks: false,
        ..options(&place, "Distances.at", 4)
    };
    let mut deaf = Deaf;
    let mut java = started(options);
    let first = Input {
        start: 0,
        values: Model::new(),
    };
    let executed = java.heard_by(&mut deaf).run(&first, QUOTA);
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
