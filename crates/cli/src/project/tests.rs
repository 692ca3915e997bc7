use super::*;

/// The file's mistakes, as "LINE: TEXT".
fn faults(text: &str) -> Vec<String> {
    let mut faults = match read(text) {
        Err(faults) => faults,
        Ok(project) => {
            let all = project.targets.iter();
            let asked = all.map(|t| t.asked(&t.words(&[]).expect("no command line")));
            asked.filter_map(Result::err).collect()
        }
    };
    faults.sort();
    let told = faults.iter().map(|f| format!("{}: {}", f.line, f.text));
    told.collect()
}

/// Each mistake is named with its line, and with the name that was meant.
#[test]
fn mistakes_have_lines_and_near_names() {
    let target = "[[target]]\nprogram = \"p.c\"\n";
    for (text, lines) in [
        ("", &["1: there is no [[target]]"][..]),
        ("out = \n[[target]]\n", &["1: "]),
        ("[[target]\nprogram = 1\n", &["1: "]),
        (
            &format!("buidl = \"make\"\n{target}"),
            &["1: unknown key `buidl`; is `build` meant?"],
        ),
        (
            &format!("time = 3\n{target}"),
            &["1: `time` is an option: it belongs below [options]"],
        ),
        (
            &format!("{target}sym-stdin = 3\n"),
            &["3: `sym-stdin` is an option: it belongs below [target.options]"],
        ),
        (
            &format!("{target}[target.options]\nsym_stdin = 3\n"),
            &["4: unknown option `sym_stdin`; is `sym-stdin` meant?"],
        ),
        (
            &format!("[options]\ntme = 3\nsead = 1\n{target}"),
            &[
                "2: unknown option `tme`; is `time` meant?",
                "3: unknown option `sead`; is `seed` meant?",
            ],
        ),
        (
            &format!("{target}options.time = true\n"),
            &["3: `time` needs a word or number"],
        ),
        (
            &format!("{target}options.sym-args = [0, 1]\n"),
            &["3: `sym-args` needs a list of 3: [MIN, MAX, LEN]"],
        ),
        (
            &format!("{target}options.no-tests = \"yes\"\n"),
            &["3: `no-tests` needs true or false"],
        ),
        (
            &format!("{target}[target.options]\ntime = \"soon\"\n"),
            &["4: target p: invalid value 'soon' for '--time <S>': `soon` is not a time"],
        ),
        (
            &format!("[options]\ncheck = [\"memroy\"]\n{target}"),
            &["2: target p: invalid value 'memroy' for '--check <LIST>'"],
        ),
        (
            &format!("{target}options.search = \"deepest\"\n"),
            &["1: target p: --search: unknown searcher 'deepest'"],
        ),
        (
            &format!("{target}options.partial-solutions = true\n"),
            &["1: target p: --partial-solutions: only with --mode concolic"],
        ),
        (
            &format!("{target}options.main = \"Main\"\n"),
            &[
                "3: `main` is an option of `polypath java run`, and this target is run by `polypath run`",
            ],
        ),
        (
            "[[target]]\njava = \"classes\"\noptions.no-scout = true\n",
            &["3: `no-scout`: runs of Java programs have no scout"],
        ),
        (
            "[[target]]\nname = \"a\"\n",
            &["1: a target needs `program`"],
        ),
        (
            "[[target]]\nprogram = \"a\"\njava = \"b\"\n",
            &["1: a target has `program` or `java`, not both"],
        ),
        (
            &format!("{target}{target}"),
            &["3: a target p stands above: `name` tells them apart"],
        ),
        (
            "[[target]]\nprogram = \"p\"\nname = \"../up\"\n",
            &["1: `name` is a directory of results"],
        ),
        (
            &format!("{target}arguments = \"-n 3\"\n"),
            &["3: `arguments` is a list of words"],
        ),
        (
            &format!("stale = \"error\"\n{target}"),
            &["1: `stale` is \"warn\" or \"fail\""],
        ),
        (
            &format!("{target}[[suppress]]\nkind = \"nul\"\nfile = \"a.c\"\nreason = \"x\"\n"),
            &["4: no kind of error is called \"nul\"; is `null` meant?"],
        ),
        (
            &format!("{target}[[suppress]]\nkind = \"null\"\nfile = \"a.c\"\n"),
            &["3: a suppression needs a `reason`"],
        ),
        (
            &format!("{target}[[suppress]]\nkind = \"null\"\nfile = \"a.c\"\nreason = \" \"\n"),
            &["3: a suppression needs a `reason`"],
        ),
        (
            &format!("{target}[[suppress]]\nreason = \"x\"\nfunction = \"f\"\n"),
            &["3: a suppression needs `kind`"],
        ),
        (
            &format!("{target}[[suppress]]\nkind = \"null\"\nreason = \"x\"\n"),
            &["3: a suppression needs `file`, `function` or both"],
        ),
        (
            &format!(
                "{target}[[suppress]]\nkind = \"null\"\nfunction = \"f\"\nline = 3\nreason = \"x\"\n"
            ),
            &["6: `line` is the number of a line of `file`"],
        ),
    ] {
        let told = faults(text);
        assert_eq!(told.len(), lines.len(), "{text}\n{told:#?}");
        for (told, wanted) in told.iter().zip(lines) {
            assert!(told.starts_with(wanted), "{text}\n{told}\n{wanted}");
        }
    }
}

/// A letter that is missing in the name of an option: every option of the table is found again.
#[test]
fn misspelt_options_are_found() {
    for of in [Whose::Run, Whose::JavaRun] {
        let what = if of == Whose::Run { "program" } else { "java" };
        let keys: Vec<OptionKey> = OptionKey::all(of).filter(OptionKey::is_offered).collect();
        for name in keys
            .iter()
            .map(OptionKey::name)
            .filter(|name| name.len() > 3)
        {
            let middle = name.len() / 2;
            let wrong = format!("{}{}", &name[..middle], &name[middle + 1..]);
            if OptionKey::named(of, &wrong).is_some() {
                continue;
            }
            let text = format!("[[target]]\n{what} = \"p\"\noptions.{wrong} = 1\n");
            let told = faults(&text);
            let [told] = &told[..] else {
                panic!("{told:?}")
            };
            let begin = format!("3: unknown option `{wrong}`; is `");
            let meant = told
                .strip_prefix(&begin)
                .unwrap_or_else(|| panic!("{told}"));
            // (`heap` and `help` are as near as each other.)
            let meant = meant.split('`').next().unwrap_or_default();
            assert!(meant == name || meant.len() <= wrong.len() + 1, "{told}");
        }
    }
}

/// What is about one invocation is refused by name, in the file and behind `--`.
#[test]
fn options_of_one_invocation_are_refused() {
    let mut refused = Vec::new();
    for of in [Whose::Run, Whose::JavaRun] {
        let what = if of == Whose::Run { "program" } else { "java" };
        for key in OptionKey::all(of) {
            let Some(why) = key.not_in_file() else {
                continue;
            };
            let name = key.name();
            let text = format!("[[target]]\n{what} = \"p\"\noptions.{name} = \"x\"\n");
            let wanted = format!("3: `{name}` is no key of the file: {why}");
            assert_eq!(faults(&text), [wanted]);
            refused.push(name.to_string());
        }
    }
    for name in [
        "out",
        "resume",
        "listen",
        "secret-file",
        "quiet",
        "progress",
    ] {
        assert!(refused.iter().any(|r| r == name), "{name}: {refused:?}");
    }
    let project = read("[[target]]\nprogram = \"p.c\"\n").expect("a file");
    let said = project.targets[0].words(&["--out".into(), "x".into()]);
    let said = said.expect_err("it is refused").0;
    assert!(said.starts_with("--out: the file has one `out`"), "{said}");
}

fn words_of(text: &str, target: usize, more: &[&str]) -> Vec<String> {
    let project = read(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let more: Vec<String> = more.iter().map(|w| (*w).to_string()).collect();
    let words = project.targets[target].words(&more);
    let mut words = words.expect("usable words").all();
    words.sort();
    words
}

/// The nearer option takes the place of the one further away: command line, target, file.
#[test]
fn the_nearest_of_an_option_counts() {
    let text = "[options]\ntime = \"2m\"\ncheck = [\"memory\"]\nseed = 7\nmain = \"Main\"\n\
        [[target]]\nprogram = \"p.c\"\narguments = [\"-n\", 80]\n[target.options]\ncheck = [\"div\", \"shift\"]\n\
        [[target]]\njava = \"classes\"\noptions.seed = 8\n";
    assert_eq!(
        words_of(text, 0, &[]),
        [
            "--",
            "--check=div",
            "--check=shift",
            "--seed=7",
            "--time=2m",
            "-n",
            "80",
            "p.c"
        ]
    );
    // An option that one language has is for the targets of that language; `check` has other values there, and stands.
    assert_eq!(
        words_of(text, 1, &[]),
        [
            "--check=memory",
            "--main=Main",
            "--seed=8",
            "--time=2m",
            "classes"
        ]
    );
    assert_eq!(
        words_of(text, 0, &["--check", "fp", "--time=5"]),
        [
            "--", "--check", "--seed=7", "--time=5", "-n", "80", "fp", "p.c"
        ]
    );
    // An option behind `--` may require one of the file.
    let text = "[[target]]\nprogram = \"p.c\"\noptions.homi = true\n";
    assert_eq!(
        words_of(text, 0, &["--homi-ratio", "0.5"]),
        ["--homi", "--homi-ratio", "0.5", "p.c"]
    );
}

/// The small file that `polypath test --init` writes is one, and so is what help shows.
#[test]
fn values_have_the_forms_of_toml() {
    let text = "[[target]]\nprogram = \"p.c\"\n[target.options]\nsym-args = [[0, 1, 2], [1, 1, 0x10]]\nsym-files = [1, 8]\n\
        solver-time = 0.5\nclock = -5\nhomi = \"all\"\nsilent-assume = false\nenv = [\"A=1\", \"B=2\"]\n";
    let words = words_of(text, 0, &[]);
    for word in [
        "--solver-time=0.5",
        "--clock=-5",
        "--homi=all",
        "--env=A=1",
        "--env=B=2",
        "16",
    ] {
        assert!(words.iter().any(|w| w == word), "{word}: {words:?}");
    }
    assert!(!words.iter().any(|w| w.contains("silent")), "{words:?}");
    assert_eq!(words.iter().filter(|w| *w == "--sym-args").count(), 2);
}
