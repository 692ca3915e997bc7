//! Suite `java-fidelity`: the unit tests of Java libraries on the woven JVM beside a plain one.
//!
//! Each library's tests run as one program (`Fidelity.java`, over JUnit's launcher): on a plain JVM, explored without input, and explored
//! with a symbolic byte that is kept meanwhile. Each outcome has to be the plain JVM's: that a test succeeds, or by which exception it does
//! not. The program has one path, so that nothing is solved; what is lost to reflection is counted, and no difference.

use crate::tools::report::{Cell, Report};
use crate::tools::{Context, fresh_dir, trees};
use anyhow::{Context as _, Result, ensure};
use oracle::measure::measure;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testcase::Run;

/// A library: its source package, and test classes that are left out, with the reason.
struct Library {
    package: &'static str,
    without: &'static [(&'static str, &'static str)],
}

const LIBRARIES: &[Library] = &[
    Library {
        package: "libcommons-codec-java",
        without: &[(
            "org.apache.commons.codec.binary.Base64Codec13Test",
            "its tables are filled by a method of 60 KB, which cannot be woven",
        )],
    },
    Library {
        package: "libcommons-lang3-java",
        without: &[],
    },
    Library {
        package: "commons-math3",
        without: &[],
    },
    Library {
        package: "libla4j-java",
        without: &[],
    },
];

/// JUnit and what tests use beside it.
const JARS: &[&str] = &[
    "junit-platform-launcher",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-vintage-engine",
    "junit4",
    "hamcrest",
    "opentest4j",
    "apiguardian-api",
    "jsr305",
    "commons-lang3",
];

/// Memory of the JVM in MiB, for both.
const HEAP: &str = "2000";
/// The longest that the tests of a library may take.
const MOST: Duration = Duration::from_secs(3600);

const RUNNER: &str = include_str!("Fidelity.java");

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let columns = [
        "library",
        "classes",
        "tests",
        "idle",
        "symbolic",
        "plain s",
        "idle s",
        "symbolic s",
        "losses",
    ];
    let mut report = Report::new(
        "Unit tests whose outcome on the woven JVM is not that of a plain one",
        &columns,
    );
    let runner = context.out.join("runner");
    compile(&runner)?;
    for library in context.choose(LIBRARIES, |l| l.package) {
        let tree = trees::fetched(library.package)?;
        let class_path = class_path(&runner, &tree);
        let mut classes = Vec::new();
        find(&tree.join("classes-test"), "", &mut classes)?;
        classes.retain(|c| library.without.iter().all(|(name, _)| name != c));
        classes.sort();
        let ways = [Way::Plain, Way::Idle, Way::Symbolic];
        let outcomes = context.each(&ways, |way| {
            say::err!("java-fidelity: {}, {way:?}", library.package);
            one(context, library, *way, &class_path, &classes)
        })?;
        let [plain, idle, symbolic] = &outcomes[..] else {
            unreachable!("three ways have three outcomes");
        };
        let mut row: Vec<Cell> = vec![
            library.package.into(),
            (plain.classes().count() as u64).into(),
            plain.tests().into(),
        ];
        for (way, other) in [("idle", idle), ("symbolic", symbolic)] {
            let differing = plain.lines.symmetric_difference(&other.lines);
            let differing: BTreeSet<&str> =
                differing.filter_map(|l| l.split('\t').nth(1)).collect();
            for class in &differing {
                report
                    .failures
                    .push(format!("{}, {way}: {class}", library.package));
            }
            row.push((differing.len() as u64).into());
        }
        row.extend(outcomes.iter().map(|o| Cell::from(o.seconds)));
        row.push(symbolic.losses.into());
        report.rows.push(row);
        for (name, why) in library.without {
            report.remarks.push(format!("left out: {name}: {why}"));
        }
        report.write(&context.out, "java-fidelity")?;
    }
    Ok(report)
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Plain,
    Idle,
    Symbolic,
}

/// What became of the tests of a library.
struct LibraryTests {
    lines: BTreeSet<String>,
    seconds: f64,
    /// Values that were lost.
    losses: u64,
}

impl LibraryTests {
    fn classes(&self) -> impl Iterator<Item = &String> {
        self.lines.iter().filter(|l| l.starts_with("CLASS"))
    }

    fn tests(&self) -> u64 {
        let counts = self.classes().filter_map(|l| l.split('\t').nth(2));
        counts.filter_map(|n| n.parse::<u64>().ok()).sum()
    }
}

fn one(
    context: &Context,
    library: &Library,
    way: Way,
    class_path: &str,
    classes: &[String],
) -> Result<LibraryTests> {
    let label = format!("{}-{way:?}", library.package);
    let out = context.out.join("runs").join(&label);
    fresh_dir(&out)?;
    let (mut command, explored) = match way {
        Way::Plain => {
            std::fs::create_dir_all(&out)?;
            let mut command = Command::new("java");
            command.current_dir(&out).arg(format!("-Xmx{HEAP}m"));
            command.arg("-ea").args(WORLD).env("LC_ALL", "C.UTF-8");
            command.args(["-cp", class_path, "Fidelity"]).args(classes);
            (command, false)
        }
        Way::Idle | Way::Symbolic => {
            let seconds = MOST.as_secs().to_string();
            let mut command = Command::new(&context.polypath);
            command.args(["java", "run", class_path, "--main", "Fidelity"]);
            command.args(["--jobs", "1", "--junit", "none", "--heap", HEAP]);
            command.args(["--run-steps", "1000000000000", "--run-time", &seconds]);
            if matches!(way, Way::Symbolic) {
                command.args(["--sym-stdin", "1"]);
            }
            command.arg("--out").arg(&out).args(&context.run_options);
            command.arg("--").args(classes);
            (command, true)
        }
    };
    let usage = measure(&mut command, MOST + Duration::from_secs(60))?;
    ensure!(
        !usage.timed_out && usage.code() <= 1,
        "{label}: exit {}: {}",
        usage.code(),
        usage.last_words()
    );
    let (text, losses) = if explored {
        let run = Run::read(&out)?;
        ensure!(
            run.tests.len() == 1,
            "{label}: {} paths where there is one",
            run.tests.len()
        );
        let stats = run.stats.as_ref().context("there are no statistics")?;
        let lost = stats.more.get("java_losses");
        let lost = lost.and_then(serde_json::Value::as_array);
        let times = lost
            .into_iter()
            .flatten()
            .filter_map(|l| l["times"].as_u64());
        (run.tests[0].expected.stdout.clone(), times.sum())
    } else {
        (usage.stdout.clone(), 0)
    };
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines = text
        .lines()
        .filter(|l| l.starts_with("TEST\t") || l.starts_with("CLASS\t"));
    Ok(LibraryTests {
        lines: lines.map(str::to_string).collect(),
        seconds: usage.wall_s,
        losses,
    })
}

/// What a program sees of the world around it, as `polypath java run` has it.
const WORLD: [&str; 5] = [
    "-Dfile.encoding=UTF-8",
    "-Duser.language=en",
    "-Duser.country=US",
    "-Duser.timezone=UTC",
    "-Djava.util.concurrent.ForkJoinPool.common.parallelism=0",
];

fn jars() -> String {
    let jars = JARS.iter().map(|jar| format!(":/usr/share/java/{jar}.jar"));
    jars.collect()
}

/// The library's own classes come before Debian's.
fn class_path(runner: &Path, tree: &Path) -> String {
    let mut path = runner.display().to_string();
    let parts = [
        "classes-main",
        "classes-test",
        "src/main/resources",
        "src/test/resources",
    ];
    // Not every library has resources.
    for part in parts
        .map(|part| tree.join(part))
        .iter()
        .filter(|p| p.is_dir())
    {
        path.push(':');
        path.push_str(&part.display().to_string());
    }
    path + &jars()
}

fn compile(runner: &Path) -> Result<()> {
    std::fs::create_dir_all(runner)?;
    let source = runner.join("Fidelity.java");
    std::fs::write(&source, RUNNER)?;
    let mut command = Command::new("javac");
    command
        .args(["-cp", &jars()[1..], "-d"])
        .arg(runner)
        .arg(source);
    let output = command.output().context("cannot run javac")?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "the runner does not compile: {words}"
    );
    Ok(())
}

/// The names of test classes below a directory.
fn find(dir: &Path, package: &str, classes: &mut Vec<String>) -> Result<()> {
    let read = std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    for entry in read {
        let path: PathBuf = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            find(&path, &format!("{package}{name}."), classes)?;
        } else if let Some(class) = name.strip_suffix(".class")
            && class.contains("Test")
            && !class.contains('$')
        {
            classes.push(format!("{package}{class}"));
        }
    }
    Ok(())
}
