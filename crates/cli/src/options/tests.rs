use super::*;
use clap::Args as _;
use std::collections::BTreeSet;
use vocab::Checks;

fn parsed(of: Whose, words: &[&str]) -> Result<ArgMatches, clap::Error> {
    let command = augmented(clap::Command::new("polypath"), of);
    command.try_get_matches_from(["polypath"].iter().chain(words))
}

fn draft(of: Whose, words: &[&str]) -> Draft {
    let matches = parsed(of, words).unwrap_or_else(|e| panic!("{e}"));
    let mut draft = Draft::of_c().expect("a working directory");
    apply(&matches, of, &mut draft);
    draft
}

#[test]
fn the_default_of_check_is_the_table_s() {
    let default = draft(Whose::Run, &["p.c"]).c.checks;
    assert_eq!(default, Checks::default());
    let java = draft(Whose::JavaRun, &["classes"]);
    assert_eq!(java.plan.limits.memory_mb, MEMORY_OF_JAVA);
}

/// The defaults that the help states are those of who uses the limits.
#[test]
fn the_defaults_of_partial_limits_are_those_of_the_explorer() {
    for (of, word) in [(Whose::Run, "p.c"), (Whose::JavaRun, "classes")] {
        let default = draft(of, &[word]).plan.search.partial_limits;
        assert_eq!(default, Default::default());
    }
}

#[test]
fn each_command_has_an_option_once() {
    for of in [Whose::Run, Whose::JavaRun, Whose::Harness] {
        let mut seen = BTreeSet::new();
        for row in rows(of) {
            assert!(seen.insert(row.id().to_string()), "{of:?}: {}", row.id());
        }
        assert!(seen.len() > 5, "{of:?}");
    }
    let rows = table::table();
    assert!(rows.iter().all(|row| !row.commands.is_empty()));
}

/// An option with one value, given twice, has the one that was given last; those with several have them all.
#[test]
fn the_last_of_two_counts() {
    let line = |of, program: &'static str, words: &[&'static str]| {
        draft(of, &[&[program], words].concat())
    };
    let run = |words: &[&'static str]| line(Whose::Run, "p.c", words);
    let twice = run(&["--seed", "1", "--time", "3", "--seed", "2", "--time", "1m"]);
    assert_eq!(twice.plan.search.seed, 2);
    assert_eq!(twice.plan.limits.time.as_secs(), 60);
    let files = run(&["--sym-files", "1", "2", "--sym-files", "3", "4"]);
    assert_eq!(files.input.files, [3, 4]);
    assert!(run(&["-q", "--quiet"]).plan.output.quiet);
    let many = run(&[
        "--env",
        "A=1",
        "--env",
        "B=2",
        "--sym-arg",
        "1",
        "--sym-arg",
        "2",
    ]);
    assert_eq!((many.world.env.len(), many.input.arg), (2, vec![1, 2]));
    let java = line(
        Whose::JavaRun,
        "classes",
        &["--junit", "4", "--junit", "none"],
    );
    assert_eq!(java.java.junit, "none");
    // With the options that others go with.
    let run = "p.c --partial-solutions --listen h:1 --fs . --homi --entry f";
    for (of, base) in [
        (Whose::Run, run),
        (Whose::JavaRun, "classes --partial-solutions --listen h:1"),
    ] {
        let single = rows(of).filter(|row| {
            let arg = &row.arg;
            !arg.is_positional() && !matches!(arg.get_action(), clap::ArgAction::Append)
        });
        for row in single {
            let once = words_of(&row);
            let words: Vec<&str> = base.split(' ').chain([&once[..], &once].concat()).collect();
            let said = parsed(of, &words).err().map(|e| e.to_string());
            assert_eq!(said, None, "{words:?}");
        }
    }
}

/// The words that give an option some value.
fn words_of(row: &OptionRow) -> Vec<&'static str> {
    let name: &'static str = format!("--{}", row.id()).leak();
    if !row.arg.get_action().takes_values() || row.arg.is_require_equals_set() {
        return vec![name];
    }
    let possible = row.arg.get_possible_values();
    let value: &'static str = match (row.id(), possible.first()) {
        (_, Some(value)) => value.get_name().to_string().leak(),
        ("arrays", _) => "auto",
        ("theory", _) => "bits",
        ("sat-start", _) => "witness",
        ("homi-ratio", _) => "0.5",
        ("solver-layers", _) => "blast",
        _ => "1",
    };
    let count = row.arg.get_num_args().map_or(1, |n| n.max_values());
    [vec![name], vec![value; count]].concat()
}

/// Each row as a key of `polypath.toml` gives the draft that the command line gives.
#[test]
fn a_key_of_the_file_means_what_the_option_means() {
    const BASES: [(Whose, &str, &str, &[&str]); 2] = [
        (
            Whose::Run,
            "program",
            "partial-solutions = true\nfs = \".\"\nhomi = true\nentry = \"f\"\n",
            &["--partial-solutions", "--fs=.", "--homi", "--entry=f"],
        ),
        (
            Whose::JavaRun,
            "java",
            "partial-solutions = true\n",
            &["--partial-solutions"],
        ),
    ];
    let mut seen = 0;
    for (of, what, base, base_words) in BASES {
        for row in rows(of).filter(|row| row.arg.get_long().is_some() && row.not_in_file.is_none())
        {
            let name = row.id();
            let is_base = |line: &str| line.starts_with(&format!("{name} = "));
            let base: String = base
                .lines()
                .filter(|l| !is_base(l))
                .map(|l| format!("{l}\n"))
                .collect();
            let is_base = |word: &&str| word.split('=').next() == Some(&format!("--{name}"));
            let base_words = base_words.iter().filter(|w| !is_base(w)).copied();
            let words = words_of(&row);
            let values: Vec<String> = words[1..].iter().map(|w| format!("{w:?}")).collect();
            let is_many = matches!(row.arg.get_action(), clap::ArgAction::Append);
            // The forms of its value, and how often the command line gives it.
            let forms = match (&values[..], is_many) {
                ([], _) => vec![("true".to_string(), 1)],
                ([one], false) => vec![(one.clone(), 1)],
                ([one], true) => vec![(one.clone(), 1), (format!("[{one}, {one}]"), 2)],
                (all, false) => vec![(format!("[{}]", all.join(", ")), 1)],
                (all, true) => {
                    let tuple = format!("[{}]", all.join(", "));
                    vec![(tuple.clone(), 1), (format!("[{tuple}, {tuple}]"), 2)]
                }
            };
            for (value, times) in forms {
                let text = format!(
                    "[[target]]\n{what} = \"p.c\"\n[target.options]\n{base}{name} = {value}\n"
                );
                let project =
                    crate::project::read(&text).unwrap_or_else(|e| panic!("{text}{e:#?}"));
                let of_file = project.targets[0].words(&[]).expect("words").all();
                let of_file: Vec<&str> = of_file.iter().map(String::as_str).collect();
                let of_line: Vec<&str> = base_words
                    .clone()
                    .chain(words.iter().copied().cycle().take(words.len() * times))
                    .chain(["p.c"])
                    .collect();
                let (file, line) = (draft(of, &of_file), draft(of, &of_line));
                assert_eq!(
                    format!("{file:?}"),
                    format!("{line:?}"),
                    "{text}{of_file:?}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen} values");
}

#[test]
fn a_program_is_needed_unless_a_run_goes_on() {
    let command = clap::Command::new("polypath")
        .subcommand(RunArgs::augment_args(clap::Command::new("run")))
        .subcommand(RunArgs::augment_args(clap::Command::new("fuzz")))
        .subcommand(
            clap::Command::new("java")
                .subcommand(JavaRunArgs::augment_args(clap::Command::new("run"))),
        );
    for words in [&["run"][..], &["fuzz"], &["java", "run"]] {
        let line = |more: &[&'static str]| [&["polypath"], words, more].concat();
        let strict = command.clone().try_get_matches_from(line(&[]));
        assert!(strict.is_err(), "{words:?}");
        let going_on = lenient(command.clone()).try_get_matches_from(line(&["--resume", "x"]));
        assert!(going_on.is_ok(), "{words:?}");
    }
    let said = |words: &[&str]| {
        let words: Vec<std::ffi::OsString> = words.iter().map(Into::into).collect();
        is_said(&words)
    };
    assert!(said(&["run", "--resume", "x"]) && said(&["run", "--resume=x"]));
    assert!(!said(&["run", "p.c", "--", "--resume"]));
}

/// A plan says the same after it was kept and read; one of another form is refused by name.
#[test]
fn plans_are_kept_whole() {
    let place = std::env::temp_dir().join(format!("polypath-plan-{}.c", std::process::id()));
    std::fs::write(&place, "int main(void) { return 0; }").expect("a program");
    let name = place.to_str().expect("a name");
    let words = [
        name,
        "--homi",
        "--homi-cycle",
        "20t",
        "--solver-layers",
        "enumeration",
        "--theory",
        "lia",
        "--time",
        "1.5",
        "--sym-args",
        "0",
        "1",
        "2",
        "--env",
        "A=1",
        "--entry",
        "main",
        "--",
        "x",
    ];
    let (plan, _) = draft(Whose::Run, &words).plan_of_c().expect("a plan");
    std::fs::remove_file(&place).expect("removed");
    let mut info = testcase::RunInfo {
        version: "0.0".into(),
        ..testcase::RunInfo::default()
    };
    let none = Plan::of(&info).unwrap_err();
    assert!(
        none.starts_with("polypath 0.0 could keep no plan"),
        "{none}"
    );
    plan.keep(&mut info, false).expect("plain values");
    let kept = info.plan.clone().expect("a plan");
    let again = Plan::of(&info).expect("the plan");
    assert_eq!(serde_json::to_value(&again).expect("plain values"), kept);
    assert_eq!(again.limits.time.as_millis(), 1500);
    assert_eq!(again.c().expect("of C").program.input.args.len(), 2);
    assert!(again.pruning(0).expect("it prunes").is_some());
    info.plan = Some(serde_json::json!({"directory": "/", "program": "p.c"}));
    let old = Plan::of(&info).unwrap_err();
    assert!(
        old.contains("the plan in info.json is of another form (polypath 0.0"),
        "{old}"
    );
}

/// The table of a command in `docs/options.md`.
fn page_of(of: Whose) -> String {
    use std::fmt::Write;
    let words = of.words().join(" ");
    let mut text = format!(
        "\n### `polypath {words}`\n\n| option | default | with `--resume` | what it says |\n|---|---|---|---|\n"
    );
    for row in rows(of).filter(|row| !row.arg.is_hide_set()) {
        let values = row.arg.get_value_names().unwrap_or_default();
        let values: Vec<&str> = values.iter().map(|v| v.as_str()).collect();
        let takes = row.arg.get_action().takes_values();
        let values = values.join(" ");
        let option = match row.arg.get_long() {
            Some(long) if !takes => format!("--{long}"),
            Some(long) if row.arg.is_require_equals_set() => format!("--{long}[={values}]"),
            Some(long) => format!("--{long} {values}"),
            None => values,
        };
        let default = row.arg.get_default_values().iter();
        let default: Vec<String> = default
            .map(|v| format!("`{}`", v.to_string_lossy()))
            .collect();
        let help = row.arg.get_help().map(ToString::to_string);
        let may_change = if row.may_change { "can change" } else { "" };
        let _ = writeln!(
            text,
            "| `{option}` | {} | {may_change} | {} |",
            if takes {
                default.join(" ")
            } else {
                String::new()
            },
            help.unwrap_or_default().replace('|', "\\|")
        );
    }
    text
}

/// The page is written by hand up to its heading "All options"; what is below that is written from the table.
#[test]
fn the_page_of_options_is_current() {
    const BELOW: &str = "\n## All options\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/options.md");
    let text = std::fs::read_to_string(path).expect("docs/options.md");
    let by_hand = text.split(BELOW).next().unwrap_or_default();
    let page = format!(
        "{by_hand}{BELOW}\nThis part is written from the table in `crates/cli/src/options` \
         (`POLYPATH_BLESS=1 cargo test -p polypath-cli --bin polypath options`). An option with one value that is given twice has \
         the value that was given last. With `--resume` a run keeps its options, but for those that can change.\n{}{}",
        page_of(Whose::Run),
        page_of(Whose::JavaRun)
    );
    if std::env::var_os("POLYPATH_BLESS").is_some() {
        std::fs::write(path, &page).expect("docs can be written");
        return;
    }
    assert!(
        text == page,
        "docs/options.md is out of date: POLYPATH_BLESS=1 writes it"
    );
}
