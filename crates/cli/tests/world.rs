//! The program's world as the user sets it up: directories of the host, environment, clock.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use testkit::engine;

const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char cwd[4096], text[16] = "";
    struct stat a, b;
    FILE *f = fopen("in", "r");
    if (!f || !fgets(text, sizeof text, f) || !getcwd(cwd, sizeof cwd)) return 9;
    fclose(f);
    stat("in", &a);
    stat("same", &b);
    f = fopen("sub/out", "w");
    fprintf(f, "%s", text);
    fclose(f);
    rename("same", "renamed");
    if (argc > 1) { puts(text); return argv[1][0] == 'x'; }
    printf("%s %s %d %ld %s %o\n", text, cwd, a.st_ino == b.st_ino && a.st_nlink == 2, (long)time(0), getenv("COLOR"), umask(0));
    return getenv("LC_ALL") != 0;
}
"#;

#[test]
fn a_host_directory_is_the_working_directory_and_can_be_saved() {
    let Some(dir) = testkit::engine!("shown") else {
        return;
    };
    let shown = dir.join("shown");
    fs::create_dir_all(shown.join("sub")).unwrap();
    fs::write(dir.join("t.c"), PROGRAM).unwrap();
    fs::write(shown.join("in"), "text").unwrap();
    fs::hard_link(shown.join("in"), shown.join("same")).unwrap();
    symlink("in", shown.join("link")).unwrap();
    let options = "run --quiet --out out --fs shown --save-fs saved --env COLOR=red --env LC_ALL --clock 1000000000 --umask 077 t.c";
    let output = dir.polypath(options.split(' '));
    let said = &output.stdout;
    let cwd = shown.canonicalize().unwrap();
    assert_eq!(
        said.trim(),
        format!("text {} 1 1000000000 red 77", cwd.display()),
        "{output:?}"
    );
    assert_eq!(output.code, 0, "{output:?}");

    let saved = dir.join("saved");
    assert_eq!(fs::read(saved.join("sub/out")).unwrap(), b"text");
    assert_eq!(
        saved.join("sub/out").metadata().unwrap().mode() & 0o777,
        0o600
    );
    assert_eq!(fs::read_link(saved.join("link")).unwrap(), Path::new("in"));
    assert!(!saved.join("same").exists());
    assert_eq!(saved.join("renamed").metadata().unwrap().nlink(), 2);
    // The host's own is as it was.
    assert!(shown.join("same").exists() && !shown.join("sub/out").exists());

    // The test carries the directory's files: it does the same natively.
    let binary = dir.polypath(["cc", "t.c", "-o", "t"]);
    assert_eq!(binary.code, 0, "{binary:?}");
    fs::remove_dir_all(dir.join("out")).unwrap();
    let run = dir.polypath([
        "run",
        "--quiet",
        "--out",
        "out",
        "--fs",
        "shown",
        "t",
        "--",
        "--sym-arg",
        "1",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    let replay = dir.polypath(["replay", "out"]);
    assert_eq!(replay.code, 0, "{replay:?}");
    assert!(fs::read_dir(dir.join("out/tests")).unwrap().count() > 0);
}

#[test]
fn files_of_any_size_and_place_that_a_program_is_shown_are_there_in_replay() {
    let Some(place) = testkit::engine!("shown-sizes") else {
        return;
    };
    if !testkit::need("namespaces") {
        return;
    }
    place.write(
        "sum.c",
        r#"
#include <stdio.h>
#include <string.h>
static unsigned long sum(const char *name) {
    FILE *f = fopen(name, "r");
    if (!f) return -1UL;
    unsigned long s = 5381;
    static unsigned char block[4096];
    /* (Little is enough to tell the files from each other.) */
    size_t n = fread(block, 1, sizeof block, f);
    for (size_t i = 0; i < n; i++) s = s * 33 + block[i];
    fseek(f, 0, SEEK_END);
    s = s * 33 + ftell(f);
    fclose(f);
    return s;
}
int main(int c, char **v) {
    printf("%lu %lu\n", sum("data"), sum(v[2]));
    if (v[1][0] == 'w') {
        FILE *f = fopen("data", "r+");
        if (!f || fputc('!', f) == EOF || fclose(f) != 0) return 1;
        printf("%lu %lu\n", sum("data"), sum("deep/link"));
    }
    return 0;
}"#,
    );
    let built = place.polypath(["cc", "-g", "sum.c", "-o", "sum"]);
    assert_eq!(built.code, 0, "{built:?}");
    let bases = ["/tmp", "/home", "/dev/shm", env!("CARGO_TARGET_TMPDIR")];
    let mut tried = 0;
    for (at, base) in bases.iter().enumerate() {
        let Ok(shown) = tempfile::tempdir_in(base) else {
            // Not everybody may write there.
            continue;
        };
        for (nth, size) in [1, 256 << 10, 300 << 10, 4 << 20].into_iter().enumerate() {
            // All sizes in one place, and each place once.
            if at != 3 && nth != 2 {
                continue;
            }
            let content: Vec<u8> = (0..size).map(|i: usize| (i % 251) as u8).collect();
            let data = shown.path().join("data");
            fs::write(&data, &content).unwrap();
            if nth == 0 || at != 3 {
                fs::create_dir(shown.path().join("deep")).unwrap();
                symlink("../data", shown.path().join("deep/link")).unwrap();
            }
            let out = format!("out-{at}-{nth}");
            let root = shown.path().to_str().unwrap();
            let name = data.to_str().unwrap();
            let run = place.polypath([
                "run",
                "--quiet",
                "--out",
                &out,
                "--fs",
                root,
                "sum",
                "--",
                "--sym-arg",
                "1",
                name,
            ]);
            assert_eq!(run.code, 0, "{run:?}");
            let replay = place.polypath(["replay", &out]);
            assert_eq!(replay.code, 0, "{base} {size}: {replay:?}");
            let tests = place.json(&format!("{out}/replay.json"))["totals"]["same"].clone();
            assert!(tests.as_u64() >= Some(2), "{base} {size}: {replay:?}");
            assert_eq!(fs::read(&data).unwrap(), content, "{base} {size}");
            tried += 1;
        }
    }
    assert!(tried >= 5, "{tried} of the places");
}

#[test]
fn a_pipe_whose_writer_has_gone_says_so_to_poll() {
    let Some(dir) = engine!("poll") else { return };
    let program = "#include <poll.h>\n#include <sys/select.h>\n#include <unistd.h>\n\
        int main(void) { struct pollfd p = {0, POLLIN, 0}; char b[8]; poll(&p, 1, -1);\n\
        int first = p.revents; while (read(0, b, 8) > 0); poll(&p, 1, 0);\n\
        fd_set s; FD_ZERO(&s); FD_SET(0, &s); if (select(1, &s, 0, 0, 0) != 1) return 1;\n\
        return p.revents == POLLHUP ? first : 100 + p.revents; }\n";
    dir.write("p.c", program);
    for mode in ["fork", "concolic"] {
        let line = format!("run p.c --mode {mode} --sym-stdin 3 --jobs 1 --out {mode}");
        let ran = dir.polypath(line.split(' '));
        assert_eq!(ran.code, 0, "{}", ran.text());
        let mut problems = Vec::new();
        let tests = testcase::read::tests(&dir.join(mode).join("tests"), &mut problems).unwrap();
        let ends: std::collections::BTreeSet<(bool, String)> = tests
            .iter()
            .map(|t| {
                let is_empty = t.stdin.as_deref().is_none_or(<[u8]>::is_empty);
                (is_empty, format!("{:?}", t.expected.exit))
            })
            .collect();
        // POLLIN is 1, POLLHUP 16.
        let expected = [(false, "Status(17)".into()), (true, "Status(16)".into())];
        assert_eq!(ends, expected.into(), "{mode}");
        let replayed = dir.polypath(["replay", mode]).text();
        assert!(!replayed.contains("diverge"), "{replayed}");
    }
}

/// An input whose size is open is short at first, and longer where that brings nothing new; no size is left out, and none comes twice.
#[test]
fn open_sizes_grow() {
    let Some(place) = engine!("open-sizes") else {
        return;
    };
    let program = "#include <unistd.h>\n\
        int main(void) { unsigned char b[64]; int n = read(0, b, sizeof b);\n\
        if (n > 20 && b[20] == 'x') __builtin_trap();\nreturn n; }\n";
    place.write("grow.c", program);
    let words = [
        "run",
        "grow.c",
        "--sym-stdin",
        "40",
        "--sym-size",
        "--jobs",
        "1",
    ];
    let ran = place.polypath(words.iter().chain(&["--out", "out"]));
    assert_eq!(ran.code, 1, "{}", ran.text());
    let stats = place.json("out/stats.json");
    assert!(stats["halted"].is_null(), "{stats}");
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&place.join("out/tests"), &mut problems).expect("tests");
    assert_eq!(problems, Vec::<String>::new());
    let size = |t: &testcase::TestCase| match &t.expected.exit {
        testcase::model::ExitKind::Status(status) => Some(*status),
        _ => None,
    };
    let sizes: Vec<i32> = tests.iter().filter_map(size).collect();
    let bound = |size: &i32| (size - 1).max(7).ilog2();
    let bounds: Vec<u32> = sizes.iter().map(bound).collect();
    assert!(bounds.is_sorted(), "{sizes:?}");
    let mut all = sizes;
    all.sort_unstable();
    assert_eq!(all, (0..=40).collect::<Vec<i32>>());
}
