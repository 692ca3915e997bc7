//! The methods of the papers on programs on which an audit found them weaker than written: each row is a run and a number of its
//! `stats.json` that says that the method has worked.

use testkit::{Place, engine};

/// A program, the options of its run, the statistic that counts, and how much it is at least.
struct AuditRow {
    name: &'static str,
    program: &'static str,
    options: &'static [&'static str],
    counts: &'static str,
    least: f64,
    /// The exit statuses of all paths.
    exits: &'static [i32],
}

const ROWS: &[AuditRow] = &[
    // "Type and interval aware array constraint solving", Alg. 3, lines 9 and 10: b[i] is 4 or 5, and x is 7 at least.
    AuditRow {
        name: "relation",
        program: "int main(void) { unsigned i, j, x, y; klee_make_symbolic(&i, 4, \"i\"); klee_make_symbolic(&j, 4, \"j\");\n\
            klee_make_symbolic(&x, 4, \"x\"); klee_make_symbolic(&y, 4, \"y\"); if (i > 3 || j > 3) return 0; if (i + j <= 4) return 8;\n\
            if (x > 1000 || y > 1000) return 3; if (x + y < 14) return 4; if (y > x) return 5; if ((unsigned)b[i] > x) return 6; return 7; }\n",
        options: &["--arrays", "cegar+precheck"],
        counts: "solver_array_prechecks_unsat",
        least: 1.0,
        exits: &[0, 3, 4, 5, 7, 8],
    },
    // KLEE-Array: a condition on elements at one index is one on the index.
    AuditRow {
        name: "index",
        program: "int main(void) { unsigned i; klee_make_symbolic(&i, 4, \"i\"); if (i > 3) return 0; if (b[i] * b[i] > 20) return 1; return 8; }\n",
        options: &[
            "--arrays",
            "klee-array",
            "--solver-layers",
            "rewrite,independence,blast",
        ],
        counts: "solver_array_indexed",
        least: 1.0,
        exits: &[0, 1, 8],
    },
    // The same where the indices are bounded by the condition itself.
    AuditRow {
        name: "condition",
        program: "int main(void) { unsigned i, j; klee_make_symbolic(&i, 4, \"i\"); klee_make_symbolic(&j, 4, \"j\"); if (i > 3 || j > 3) return 0;\n\
            if ((i + j > 4) & (b[i] + b[j] > 10)) return 1; return 8; }\n",
        options: &["--arrays", "cegar+precheck"],
        counts: "solver_array_prechecks_unsat",
        least: 1.0,
        exits: &[0, 8],
    },
    // "Multiplex symbolic execution", Fig. 4: steps of a search for floats open paths, those of a search that succeeds, too.
    AuditRow {
        name: "xsat",
        program: "#include <stdio.h>\nint main(void) { float f[2]; if (fread(f, 4, 2, stdin) != 2) return 9; float x = f[0], y = f[1];\n\
            if (x + y >= 2) { if (2 * y - x >= 1) { if (2 * x - y >= 0) return 2; return 1; } return 3; } return 4; }\n",
        options: &[
            "--mode",
            "concolic",
            "--search",
            "dfs",
            "--sym-stdin",
            "8",
            "--seed-input",
            "seed",
            "--fp-solver",
            "search:xsat",
            "--partial-solutions",
            "--partial-from",
            "float-search",
        ],
        counts: "multiplex_paths",
        least: 1.0,
        exits: &[1, 2, 3, 4],
    },
    // The same by simulated annealing, with which the paper solves (section 4.1).
    AuditRow {
        name: "anneal",
        program: "#include <stdio.h>\nint main(void) { float f[2]; if (fread(f, 4, 2, stdin) != 2) return 9; float x = f[0], y = f[1];\n\
            if (x + y >= 2) { if (2 * y - x >= 1) { if (2 * x - y >= 0) return 2; return 1; } return 3; } return 4; }\n",
        options: &[
            "--mode",
            "concolic",
            "--search",
            "dfs",
            "--sym-stdin",
            "8",
            "--seed-input",
            "seed",
            "--fp-solver",
            "search:anneal:xsat",
            "--partial-solutions",
            "--partial-from",
            "float-search",
        ],
        counts: "multiplex_paths",
        least: 1.0,
        exits: &[1, 2, 3, 4],
    },
];

#[test]
fn what_the_papers_describe_is_done() {
    let Some(place) = engine!("papers") else {
        return;
    };
    // The paper's first input.
    let seed = [1f32, 3.0].map(f32::to_le_bytes).concat();
    std::fs::create_dir(place.join("seed")).expect("a directory");
    std::fs::write(place.join("seed/one"), seed).expect("a file");
    let wrong = ROWS.iter().flat_map(|row| check(&place, row));
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

/// What is wrong with a run.
fn check(place: &Place, row: &AuditRow) -> Option<String> {
    let file = format!("{}.c", row.name);
    let head = "#include <klee/klee.h>\nstatic int b[4] = {0, 100, 4, 5};\n";
    place.write(&file, [head, row.program].concat());
    let line = [
        "run",
        file.as_str(),
        "--out",
        row.name,
        "--jobs",
        "1",
        "--time",
        "300",
    ];
    let ran = place.polypath([&line, row.options].concat());
    if ran.code != 0 {
        return Some(format!("{}: {}: {}", row.name, ran.code, ran.stderr));
    }
    let stats = place.json(&format!("{}/stats.json", row.name));
    let counted = stats[row.counts].as_f64();
    let out = testcase::Run::read(&place.join(row.name)).expect("results");
    let exits = out.tests.iter().filter_map(|t| match &t.expected.exit {
        testcase::model::ExitKind::Status(status) => Some(*status),
        _ => None,
    });
    let mut exits: Vec<i32> = exits.collect();
    exits.sort_unstable();
    exits.dedup();
    let is_right = counted >= Some(row.least) && exits == row.exits;
    (!is_right).then(|| {
        format!(
            "{}: {counted:?} {}, exits {exits:?}: {stats:#}",
            row.name, row.counts
        )
    })
}
