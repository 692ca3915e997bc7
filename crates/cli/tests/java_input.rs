//! Programs that ask for input by the classes of other tools, none of which is on the class path: ours stand in for them,
//! in the run and in replay.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::{Place, place};

/// The programs, compiled against our classes, which are then not on their class path.
fn compile(place: &Place) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let input = root.join("tests/java/input");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(&input)
        .expect("programs")
        .map(|e| e.expect("an entry").path())
        .collect();
    sources.sort();
    let path = [root.join("java/standins"), root.join("java/runtime")];
    let path = std::env::join_paths(path).expect("a path");
    let mut command = testkit::java::javac();
    command.args(["-g", "-implicit:none", "-proc:none", "-d"]);
    command.arg(place.join("classes")).arg("-cp").arg(path);
    assert!(command.args(sources).status().expect("javac").success());
}

/// What a run claims, and the outcomes of its tests.
fn run(place: &Place, entry: &str, more: &[&str]) -> (Option<String>, BTreeSet<String>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&**place)
        .env("POLYPATH_JAVA_CHECK", "1");
    command.args(["java", "run", "classes", "--entry", entry]);
    command
        .args(["--out", entry, "--time", "300", "--check", "deliberate"])
        .args(more);
    let ran = command.output().expect("polypath");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(matches!(ran.status.code(), Some(0 | 1)), "{said}");
    let stats = place.json(&format!("{entry}/stats.json"));
    assert_eq!(stats["java_wrong"], serde_json::json!([]), "{said}");
    let halted = stats["halted"].as_str().map(str::to_string);
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&place.join(entry).join("tests"), &mut problems);
    let first = |t: testcase::TestCase| {
        let text = String::from_utf8(t.expected.stderr).expect("text");
        text.lines().next().unwrap_or_default().to_string()
    };
    (
        halted,
        tests.expect("tests").into_iter().map(first).collect(),
    )
}

/// A plain JVM with our classes says the same of the tests.
fn replay(place: &Place, entry: &str) {
    let replayed = place.polypath(["replay", entry]);
    let summary = place.json(&format!("{entry}/replay.json"));
    let said = replayed.text();
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    assert_eq!(summary["totals"].get("not run"), None, "{said}");
    assert!(matches!(replayed.code, 0 | 1), "{said}");
}

#[test]
fn programs_for_other_tools_get_input_and_are_complete_within_the_length_of_strings() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("tools");
    compile(&place);
    let cases: [(&str, &[&str]); 5] = [
        (
            "Spf.path",
            &[
                "returned I 0",
                "returned I 1",
                "threw java.lang.ArithmeticException: / by zero",
            ],
        ),
        (
            "Cp.path",
            &["returned I 1", "threw java.lang.AssertionError"],
        ),
        (
            "Fuzz.fuzzerTestOneInput",
            &["returned V", "threw java.lang.IllegalStateException: found"],
        ),
        ("Sv.made", &["returned I 1", "returned I 2", "returned I 3"]),
        (
            "Sv.path",
            &[
                "returned I 1",
                "returned I 2",
                "returned I 3",
                "returned I 4",
            ],
        ),
    ];
    for (entry, outcomes) in cases {
        let (halted, found) = run(&place, entry, &["--string-len", "3"]);
        assert_eq!(halted, None, "{entry}");
        let all: BTreeSet<String> = outcomes.iter().map(|o| o.to_string()).collect();
        assert_eq!(found, all, "{entry}");
        replay(&place, entry);
    }
}

#[test]
fn objects_of_the_library_are_made_of_input() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("library");
    compile(&place);
    // The last one says whether these are all values of the type.
    for (entry, outcomes, are_all) in [
        ("Library.any(java.lang.Object)", 1..=4, false),
        ("Library.order", 0..=3, false),
        ("Library.text", 0..=1, false),
        ("Library.sum", 0..=1, false),
        ("Library.bytes", 0..=1, false),
        ("Library.line", 0..=1, false),
        ("Library.day", 0..=1, true),
        ("Library.count", 0..=1, true),
        ("Library.box", 0..=1, true),
        ("Library.all", 0..=1, true),
        ("Library.same", 0..=1, true),
        ("Library$Any.kind", 0..=2, true),
        ("Library.held", 0..=2, true),
        ("Library.charset", 0..=2, false),
        ("Library.file", 0..=3, false),
        ("Library.path", 0..=3, false),
        ("Library.type", 0..=3, false),
        ("Library.colors", 0..=2, true),
        ("Library.time", 0..=2, false),
        ("Library.next", 0..=2, true),
    ] {
        // Several collections at once have many sizes.
        let several = matches!(entry, "Library.colors" | "Library.next");
        let longest = if several { "1" } else { "3" };
        let (halted, found) = run(&place, entry, &["--array-len", longest]);
        let all: BTreeSet<String> = outcomes.map(|n| format!("returned I {n}")).collect();
        assert_eq!(found, all, "{entry}: {halted:?}");
        let halted = halted.unwrap_or_default();
        let is_said = halted.contains("pieces of input without all their values");
        assert_eq!(is_said, !are_all, "{entry}: {halted}");
        assert!(is_said || halted.is_empty(), "{entry}: {halted}");
        replay(&place, entry);
    }
}

#[test]
fn what_a_stand_in_leaves_out_is_said() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("left-out");
    compile(&place);
    for (entry, where_from) in [
        ("Sv.path", "Verifier.nondetString"),
        ("Sv.object", "Verifier.nondetObject"),
        ("Cp.object", "CProver.nondetWithNull"),
    ] {
        let (halted, found) = run(&place, entry, &[]);
        let halted = halted.expect("what is left out");
        let words = "pieces of input without all their values";
        let is_said = halted.contains(words) && halted.contains(where_from);
        assert!(is_said, "{entry}: {halted}");
        assert!(found.len() >= 2, "{entry}: {found:?}");
        replay(&place, entry);
    }
}

/// A program in SV-COMP's form; its assertion fails for one pair of values.
const VIOLATED: &str = r#"
import org.sosy_lab.sv_benchmarks.Verifier;

public class Main {
    public static void main(String[] args) {
        int x = Verifier.nondetInt();
        String s = Verifier.nondetString();
        if (s.length() == 1 && s.charAt(0) == '<')
            assert x != -77 : "no";
    }
}
"#;

#[test]
fn a_witness_has_the_values_that_were_asked_for_and_where() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("witness");
    let run = |program: &str, expected: i32| {
        place.write("Main.java", program);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let path = [root.join("java/standins"), root.join("java/runtime")];
        let path = std::env::join_paths(path).expect("a path");
        let mut javac = testkit::java::javac();
        javac.args(["-g", "-implicit:none", "-proc:none", "-d"]);
        javac.arg(place.join("classes")).arg("-cp").arg(path);
        let status = javac.arg(place.join("Main.java")).status();
        assert!(status.expect("javac").success());
        let options = ["--string-len", "2", "--witness", "w.graphml"];
        let run = ["java", "run", "classes"].into_iter().chain(options);
        let ran = place.polypath(run);
        assert_eq!(ran.code, expected, "{}", ran.text());
        ran.text()
    };
    run(VIOLATED, 1);
    let witness = std::fs::read_to_string(place.join("w.graphml")).expect("a witness");
    testkit::xml::assert_well_formed(&witness);
    let data = |key: &str| -> Vec<&str> {
        let key = format!("<data key=\"{key}\">");
        let all = witness.split(&*key).skip(1);
        all.filter_map(|rest| rest.split('<').next()).collect()
    };
    assert_eq!(
        data("assumption"),
        ["value = -77;", "value = &quot;&lt;&quot;;"]
    );
    assert_eq!(data("startline"), ["6", "7", "9"]);
    assert_eq!(data("originfile"), ["Main.java"; 3]);
    let specification = "CHECK( init(Main.main()), LTL(G assert) )";
    assert_eq!(data("specification"), [specification]);
    assert_eq!(data("programhash")[0].len(), 64);
    std::fs::remove_file(place.join("w.graphml")).expect("it goes");
    let said = run(&VIOLATED.replace("x != -77", "x * 2 != 1"), 0);
    assert!(said.contains("so there is no witness"), "{said}");
    assert!(!place.join("w.graphml").exists());
}

/// What limits the claim of a Java run is named, and `--strict` takes it as for C.
#[test]
fn the_claim_names_its_limits() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("limits");
    place.write(
        "Limits.java",
        "import java.util.List;
        class Limits {
            static int none() { return 3; }
            static int plain(int a) { return a > 3 ? 1 : 2; }
            static int array(int[] a) { return a.length == 99 ? 1 / 0 : 2; }
            static int text(String a) { return a.length() == 99 ? 1 / 0 : 2; }
            static int list(List<String> a) { return a != null && a.size() == 99 ? 1 / 0 : 2; }
            public static void main(String[] a) throws Exception { System.exit(System.in.read() > 9 ? 0 : 2); }
        }
        class File {
            public static void main(String[] a) throws Exception {
                System.exit(new java.io.FileInputStream(\"A\").read(new byte[16]));
            }
        }
        class Asks {
            enum Color { RED, BLUE }
            static int order(byte x) { return new java.util.HashSet<>(List.of(Color.RED, Color.BLUE)).iterator().next() == Color.RED ? x : 1; }
            static int view(byte x) { java.util.Map<Object, Byte> m = new java.util.HashMap<>(); m.put(new Object(), x); m.put(new Object(), x);
                int n = 0; for (byte v : m.values()) n += v; return n; }
            static int printed(byte x) { java.util.Map<Object, Byte> m = new java.util.IdentityHashMap<>(); m.put(1, x); m.put(2, x); return m.toString().length(); }
            static int salted(byte x) { int n = x; for (String s : java.util.Set.of(\"a\", \"b\")) n = n * 2 + s.charAt(0); return n; }
            static int many(byte x) { return new java.util.ArrayList<>(java.util.Set.of(1, 2, 3)).get(0) == 1 ? x : 1; }
            static int copied(byte x) { return new java.util.ArrayList<>(new java.util.HashSet<>(List.of(Color.RED, Color.BLUE))).get(0) == Color.RED ? x : 1; }
            static int streamed(byte x) { return new java.util.HashSet<>(List.of(Color.RED, Color.BLUE)).stream().findFirst().get() == Color.RED ? x : 1; }
            static int steady(byte x) { java.util.Map<Object, Byte> m = new java.util.HashMap<>(); m.put(\"a\", x); m.put(2, x); m.put(Color.RED.name(), x);
                int n = 0; for (Object k : m.keySet()) n += m.get(k);
                java.util.Map<Object, Byte> one = new java.util.HashMap<>(); one.put(Color.RED, x); for (Object k : one.keySet()) n++;
                java.util.Map<Object, Byte> linked = new java.util.LinkedHashMap<>(); linked.put(Color.RED, x); linked.put(Color.BLUE, x);
                for (Object k : linked.keySet()) n++;
                return n; }
            static class Plain { }
            static class Upper { public int hashCode() { return super.hashCode() * 31; } }
            record Pair(Object a, int b) { }
            static int text(byte x) { return new Object().toString().charAt(17) == 'a' ? x : 1; }
            static int joined(byte x) { return (\"\" + new Plain()).hashCode() == 5 ? x : 1; }
            static int plain(byte x) { return new Plain().hashCode() == 5 ? x : 1; }
            static int constant(byte x) { return Color.RED.hashCode() == 5 ? x : 1; }
            static int pair(byte x) { return new Pair(new Plain(), 1).hashCode() == 5 ? x : 1; }
            static int listed(byte x) { return List.of(new Plain()).hashCode() == 5 ? x : 1; }
            static int hashed(byte x) { return java.util.Objects.hash(new Plain(), 1) == 5 ? x : 1; }
            static int array(byte x) { return new int[2].hashCode() == 5 ? x : 1; }
            static int upper(byte x) { return new Upper().hashCode() == 5 ? x : 1; }
            static int room(byte x) { return Runtime.getRuntime().freeMemory() == 5 ? x : 1; }
            static int all(byte x) { return System.getenv().size() == 5 ? x : 1; }
            static int year(byte x) { return java.util.Calendar.getInstance().get(java.util.Calendar.YEAR) == 5 ? x : 1; }
            static int defaulted(byte x) { return System.getProperty(\"debug\", \"no\").equals(\"no\") ? x : 1; }
            static int flag(byte x) { return Boolean.getBoolean(\"debug\") ? x : 1; }
            static int kept(byte x) { java.util.Map<Object, Byte> m = new java.util.HashMap<>(); m.put(Color.RED, x); m.put(new Pair(Color.BLUE, 2), x);
                return m.get(Color.RED) + (m.containsKey(Color.BLUE) ? 1 : new Pair(\"a\", 1).toString().length()); }
            static int looks(byte x) { return new java.io.File(\"/etc/x.conf\").exists() ? 1 : x; }
            static int opens(byte x) { try { new java.io.FileInputStream(\"x.conf\"); } catch (java.io.IOException e) { return x; } return 1; }
            static int asks(byte x) { return java.nio.file.Files.exists(java.nio.file.Path.of(\"x.conf\")) ? 1 : x; }
            static int time(byte x) { return (int) (new java.util.Date().getTime() % 2) + x; }
            static int random(byte x) { return new java.util.Random().nextInt(4) + x; }
            static int uuid(byte x) { return java.util.UUID.randomUUID().version() + x; }
            static int identity(byte x) { return new Object().hashCode() + x; }
            static int seeded(byte x) { return new java.util.Random(5).nextInt(4) + x; }
            static int property(byte x) { return System.getProperty(\"debug\") == null ? x : 1; }
            static int version(byte x) { return System.getProperty(\"java.version\") == null ? x : 1; }
        }",
    );
    let compiled = testkit::java::javac()
        .args(["-g", "-d", "classes", "Limits.java"])
        .current_dir(&*place)
        .status();
    assert!(compiled.expect("javac").success());
    let entry = |name: &'static str| vec!["--entry", name];
    let main = |name, input: &[&'static str]| [&["--main", name], input].concat();
    let lengths = &[(
        "bounded_lengths",
        "up to 64 elements (--array-max, --string-max)",
    )][..];
    let end = &[("input_ends", "read to the end")][..];
    let none = &[("no_input", "no input")][..];
    let both = &[none[0], end[0]][..];
    let unsteady = &[("unsteady_world", "are those of this run (")][..];
    let missing = &[("missing_files", "that are not there (Asks.")][..];
    let unset = &[("unset_variables", "Asks.property")][..];
    let cases = [
        (entry("Limits.none"), none, 0),
        (entry("Limits.plain"), &[][..], 0),
        (entry("Limits.array"), lengths, 4),
        (entry("Limits.text"), lengths, 4),
        (entry("Limits.list"), lengths, 4),
        (main("Limits", &["--sym-stdin", "1"]), end, 4),
        (main("Limits", &["--sym-stdin", "2"]), &[][..], 0),
        (main("Limits", &[]), both, 4),
        (entry("Asks.time"), unsteady, 4),
        (entry("Asks.random"), unsteady, 4),
        (entry("Asks.uuid"), unsteady, 4),
        (entry("Asks.identity"), unsteady, 4),
        (entry("Asks.order"), unsteady, 4),
        (entry("Asks.view"), unsteady, 4),
        (entry("Asks.printed"), unsteady, 4),
        (entry("Asks.salted"), unsteady, 4),
        (entry("Asks.many"), unsteady, 4),
        (entry("Asks.copied"), unsteady, 4),
        (entry("Asks.streamed"), unsteady, 4),
        (entry("Asks.steady"), &[][..], 0),
        (entry("Asks.kept"), &[][..], 0),
        (entry("Asks.text"), unsteady, 4),
        (entry("Asks.joined"), unsteady, 4),
        (entry("Asks.plain"), unsteady, 4),
        (entry("Asks.constant"), unsteady, 4),
        (entry("Asks.pair"), unsteady, 4),
        (entry("Asks.listed"), unsteady, 4),
        (entry("Asks.hashed"), unsteady, 4),
        (entry("Asks.array"), unsteady, 4),
        (entry("Asks.upper"), unsteady, 4),
        (entry("Asks.room"), unsteady, 4),
        (entry("Asks.all"), unsteady, 4),
        (entry("Asks.year"), unsteady, 4),
        (
            entry("Asks.defaulted"),
            &[("unset_variables", "Asks.defaulted")][..],
            0,
        ),
        (
            entry("Asks.flag"),
            &[("unset_variables", "Asks.flag")][..],
            0,
        ),
        (entry("Asks.looks"), missing, 4),
        (entry("Asks.opens"), missing, 4),
        (entry("Asks.asks"), missing, 4),
        (entry("Asks.seeded"), &[][..], 0),
        (entry("Asks.property"), unset, 0),
        (entry("Asks.version"), &[][..], 0),
        (main("File", &["--sym-files", "1", "8"]), end, 4),
        (main("File", &["--sym-files", "1", "17"]), &[][..], 0),
    ];
    for (n, (options, expected, status)) in cases.into_iter().enumerate() {
        let out = format!("out{n}");
        let mut command = place.command();
        command.args(["java", "run", "classes", "--strict", "--out", &out]);
        let ran = command.args(&options).output().expect("polypath");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{options:?}: {said}");
        let stats = place.json(&format!("{out}/stats.json"));
        assert!(stats["halted"].is_null(), "{options:?}: {stats}");
        let bounds = stats.get("bounds").and_then(|b| b.as_object());
        let bounds = bounds.cloned().unwrap_or_default();
        assert_eq!(bounds.len(), expected.len(), "{options:?}: {said}");
        for &(name, words) in expected {
            let text = bounds[name].as_str().unwrap_or_default();
            assert!(text.contains(words), "{options:?}: {said}");
        }
    }
}
