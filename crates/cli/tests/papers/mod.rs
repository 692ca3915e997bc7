//! The methods of the papers on programs on which an audit found them weaker than written: each row is a run, a number of its
//! `stats.json` that says that the method has worked, and all ends of the program, which are known.

use testkit::{Place, engine};

mod programs;

use programs::*;

/// A program, the options of its run, the statistic that counts, how much it is at least, and the exit statuses of all paths.
type AuditRow = (
    &'static str,
    &'static str,
    &'static str,
    f64,
    &'static [i32],
);

#[rustfmt::skip]
const ROWS: &[AuditRow] = &[
    // "Type and interval aware array constraint solving", Alg. 3, lines 9 and 10: b[i] is 4 or 5, and x is 7 at least.
    (RELATION, "--arrays cegar+precheck", "solver_array_prechecks_unsat", 1.0, &[0, 3, 4, 5, 7, 8]),
    // The same where the indices are bounded by the condition itself.
    (CONDITION, "--arrays cegar+precheck", "solver_array_prechecks_unsat", 1.0, &[0, 8]),
    // The first optimization alone, on the encoding of assertions (section 5).
    (CONDITION, "--arrays assertion+precheck", "solver_array_prechecks_unsat", 1.0, &[0, 8]),
    // KLEE-Array: conditions on the elements become conditions on the index.
    (INDEXED, "--arrays klee-array --solver-layers rewrite,independence,blast", "solver_array_indexed", 1.0, &[0, 2, 3]),
    (SQUARES, "--arrays klee-array --solver-layers rewrite,independence,blast", "solver_array_indexed", 1.0, &[0, 1, 8]),
    // Axioms on demand (Alg. 2), and those that access types spare (section 4.2).
    (TYPED, "--arrays cegar", "solver_array_axioms", 1.0, &[0, 1, 2]),
    (TYPED, "--arrays cegar+precheck+typed", "solver_array_axioms_spared", 1.0, &[0, 1, 2]),
    // "Multiplex symbolic execution", Fig. 2: the simplex's assignments open paths; where the last side has none; and by the paper's
    // protocol, in which the whole path is one query to the simplex.
    (FIG2, "DFS --sym-stdin 8 --seed-input seed --theory lia --partial-from simplex", "multiplex_by_simplex", 1.0, &[1, 2, 3, 4, 8]),
    (FIG2_UNSAT, "DFS --sym-stdin 8 --seed-input seed --theory lia --partial-from simplex", "multiplex_by_simplex", 1.0, &[1, 3, 4, 8]),
    (FIG2, "DFS --sym-stdin 8 --seed-input seed --theory lia --solver-layers ilp,blast --partial-from simplex --partial-always", "multiplex_by_simplex", 1.0, &[1, 2, 3, 4, 8]),
    // Each strategy of the paper's section 3.6 and ours with partial solutions.
    (FIG2, "--mode concolic --partial-solutions --search bfs --sym-stdin 8", "multiplex_paths", 1.0, &[1, 2, 3, 4, 8]),
    (FIG2, "--mode concolic --partial-solutions --search random --sym-stdin 8", "multiplex_paths", 1.0, &[1, 2, 3, 4, 8]),
    (FIG2, "--mode concolic --partial-solutions --search cover-new --sym-stdin 8", "multiplex_paths", 1.0, &[1, 2, 3, 4, 8]),
    (FIG2, "--mode concolic --partial-solutions --search cover-shallow --sym-stdin 8", "multiplex_paths", 1.0, &[1, 2, 3, 4, 8]),
    (FIG2, "--mode concolic --partial-solutions --search distance --sym-stdin 8", "multiplex_paths", 1.0, &[1, 2, 3, 4, 8]),
    (FIG2, "--mode concolic --partial-solutions --search generational --sym-stdin 8", "multiplex_paths", 1.0, &[1, 2, 3, 4, 8]),
    // Trails of the SAT solver (3.5) on a hash.
    (HASH, "DFS --sym-stdin 6 --partial-from trail", "multiplex_by_trail", 1.0, &[0, 1, 2, 3, 4, 5, 6]),
    // Models of the abstraction of arrays (3.4).
    (BOX, "DFS --sym-stdin 4 --arrays cegar --partial-from cegar", "multiplex_tried", 1.0, &[0, 1, 2, 3, 4]),
    // Fig. 4: steps of a search for floats open paths, those of a search that succeeds, too.
    (FIG4, "DFS --sym-stdin 8 --seed-input floats --fp-solver search:xsat --partial-from float-search", "multiplex_paths", 1.0, &[1, 2, 3, 4]),
    // The same by simulated annealing, with which the paper solves (section 4.1).
    (FIG4, "DFS --sym-stdin 8 --seed-input floats --fp-solver search:anneal:xsat --partial-from float-search", "multiplex_paths", 1.0, &[1, 2, 3, 4]),
    // Each method for floats shows what it tries.
    (DOUBLES, "DFS --sym-stdin 24 --fp-solver search", "multiplex_tried", 1.0, &[1, 2, 3, 4]),
    (DOUBLES, "DFS --sym-stdin 24 --fp-solver search:gosat", "multiplex_tried", 1.0, &[1, 2, 3, 4]),
    (DOUBLES, "DFS --sym-stdin 24 --fp-solver search:anneal:xsat", "multiplex_tried", 1.0, &[1, 2, 3, 4]),
    (DOUBLES, "DFS --sym-stdin 24 --fp-solver fuzz", "multiplex_tried", 1.0, &[1, 2, 3, 4]),
    (DOUBLES, "DFS --sym-stdin 24 --fp-solver rso:paper", "multiplex_tried", 1.0, &[1, 2, 3, 4]),
    (DOUBLES, "DFS --sym-stdin 24 --fp-solver synergy", "multiplex_tried", 1.0, &[1, 2, 3, 4]),
    // "Symbolic execution of floating-point programs": each method decides a condition of its kind (section III).
    (CUBE, "--fp-solver search", "solver_by_float-search", 1.0, &[0, 1]),
    (CUBE, "--fp-solver search:xsat", "solver_by_float-search", 1.0, &[0, 1]),
    (CUBE, "--fp-solver fuzz", "solver_by_fuzz", 1.0, &[0, 1]),
    (CUBE, "--fp-solver rso", "solver_by_real-box", 1.0, &[0, 1]),
    (CUBE, "--fp-solver synergy", "solver_by_synergy", 1.0, &[0, 1]),
    (CUBE, "--fp-solver bvfp", "solver_by_small-float", 1.0, &[0, 1]),
    // A square below zero is refuted by rewriting, whatever the method.
    (SQUARE, "--fp-solver search", "solver_queries", 0.0, &[0]),
    // An integer in the condition.
    (MIXED, "--fp-solver rso", "solver_by_real-box", 1.0, &[0, 1]),
    (MIXED, "--fp-solver synergy", "solver_by_synergy", 1.0, &[0, 1]),
    // What fuzzing does not decide with the first effort is asked again.
    (TWO_CUBES, "--fp-solver fuzz", "solver_by_fuzz", 1.0, &[0, 1, 2, 3]),
    // Alg. 2, lines 2 to 5: the simple conditions decide.
    (SIMPLE_2, "--fp-solver synergy", "solver_by_synergy", 1.0, &[0, 1]),
    (SIMPLE_4, "--fp-solver synergy", "solver_by_synergy", 1.0, &[0, 1]),
    (SIMPLE_1, "--fp-solver synergy", "solver_by_synergy", 1.0, &[0, 1]),
    // RSO's real solver: alternatives, and functions of libm.
    (EITHER, "--fp-solver rso", "solver_by_real-box", 1.0, &[0, 1]),
    (EXPONENTIAL, "--fp-solver rso --libm call", "solver_by_real-box", 1.0, &[0, 1]),
];

#[test]
fn what_the_papers_describe_is_done() {
    let Some(place) = engine!("papers") else {
        return;
    };
    // The papers' first inputs.
    for (name, input) in [
        ("seed", [1i32, 3].map(i32::to_le_bytes).concat()),
        ("floats", [1f32, 3.0].map(f32::to_le_bytes).concat()),
    ] {
        std::fs::create_dir(place.join(name)).expect("a directory");
        std::fs::write(place.join(name).join("one"), input).expect("a file");
    }
    let wrong = ROWS.iter().enumerate();
    let wrong = wrong.flat_map(|(number, row)| check(&place, number, row));
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same example in Java: the method for floats is the user's choice there, too.
#[test]
fn searches_for_floats_show_their_steps_in_java() {
    if !testkit::need("java") {
        return;
    }
    let place = testkit::place!("papers-java");
    let text = "class Fig { static int path(float x, float y) {\n\
        if (x + y >= 2) { if (2 * y - x >= 1) return 2 * x - y >= 0 ? 2 : 1; return 3; } return 4; } }";
    let source = place.join("Fig.java");
    place.write("Fig.java", text);
    testkit::java::compile(&place, &[], &[source]);
    let run = |method: &str| {
        let line = format!(
            "java run classes --entry Fig.path --search dfs --partial-solutions --partial-from float-search \
             --fp-solver {method} --junit none --time 300 --out {method}"
        );
        let ran = place.polypath(line.split(' '));
        assert!(matches!(ran.code, 0 | 1), "{}", ran.stderr);
        place.json(&format!("{method}/stats.json"))
    };
    let searched = run("search:xsat");
    assert_eq!(searched["completed_paths"], 4, "{searched:#}");
    assert!(
        searched["multiplex_tried"].as_u64() > Some(0),
        "{searched:#}"
    );
    // Nobody decides them: what known inputs do not open stays open, and is said.
    let none = run("none");
    assert!(none["completed_paths"].as_u64() < Some(4), "{none:#}");
    assert!(none["parked"]["float"].as_u64() > Some(0), "{none:#}");
}

/// What `DFS` stands for in a row.
const DEPTH_FIRST: &str = "--mode concolic --search dfs --partial-solutions";

/// What is wrong with a run.
fn check(place: &Place, number: usize, row: &AuditRow) -> Option<String> {
    let &(program, options, statistic, least, exits) = row;
    let (file, out) = (format!("{number}.c"), format!("out-{number}"));
    let head = "#include <klee/klee.h>\nstatic int b[4] = {0, 100, 4, 5};\n";
    place.write(&file, [head, program].concat());
    // The papers' programs read all of their input.
    let options = options.replace("--sym-stdin", "--sym-exact --sym-stdin");
    let options = options.replace("DFS", DEPTH_FIRST);
    let line = format!("run {file} --out {out} --jobs 1 --time 300 {options}");
    let ran = place.polypath(line.split(' '));
    if ran.code != 0 {
        return Some(format!("{line}: {}: {}", ran.code, ran.stderr));
    }
    let stats = place.json(&format!("{out}/stats.json"));
    let counted = stats[statistic].as_f64();
    let run = testcase::Run::read(&place.join(&out)).expect("results");
    let ended = run.tests.iter().filter_map(|t| match &t.expected.exit {
        testcase::model::ExitKind::Status(status) => Some(*status),
        _ => None,
    });
    let mut ended: Vec<i32> = ended.collect();
    ended.sort_unstable();
    ended.dedup();
    let is_right = counted >= Some(least) && ended == exits;
    (!is_right)
        .then(|| format!("{line}\n{program}: {counted:?} {statistic}, exits {ended:?}: {stats:#}"))
}
