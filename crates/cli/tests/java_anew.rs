//! Results that the JVM gives anew in each run (identities of objects, the time, random numbers, names that it makes): no test asserts them, and no replay takes
//! another one for a divergence. What does not follow from them is asserted and compared as ever.

use crate::java_kit::{javac, polypath, replay};
use testkit::{need, place};

/// Each case is a path: what comes out is another thing in each run, but for the last ones.
const ANEW: [&str; 22] = [
    "new Object().hashCode()",
    "System.identityHashCode(\"x\")",
    "Anew.class.hashCode()",
    "Color.RED.hashCode()",
    "java.util.Objects.hash(7, Color.RED)",
    "java.util.List.of(Color.RED).hashCode()",
    "new Point(7, Color.RED).hashCode()",
    "new Object().toString()",
    "\"an \" + new Object()",
    "new Own().toString()",
    "new Named().toString()",
    "java.util.Arrays.toString(new Object[] {new int[1]})",
    "new java.util.ArrayList<>(new java.util.HashSet<>(java.util.EnumSet.allOf(Color.class)))",
    "((Runnable) () -> {}).getClass().getName()",
    "System.nanoTime()",
    "java.time.Instant.now()",
    "Math.random()",
    "new java.util.Random().nextInt()",
    "shuffled()",
    "java.util.UUID.randomUUID()",
    "ProcessHandle.current().pid()",
    "java.lang.management.ManagementFactory.getRuntimeMXBean().getStartTime()",
];
/// What these say of themselves is kept by nobody; that they are of their classes is.
const SAYING: [&str; 2] = ["new Named()", "new Held()"];
const STEADY: [&str; 4] = [
    "\"a\".hashCode()",
    "new java.util.HashSet<>(java.util.EnumSet.allOf(Color.class))",
    "Anew.class.getName()",
    "new java.util.Random(7).nextInt()",
];
/// Of a module beside the base one, in a package whose name begins as those that are woven. (What is asked on the way to a result counts, whether that follows
/// from it or not.)
const BESIDE: &str =
    "java.net.http.HttpRequest.newBuilder(java.net.URI.create(\"http://a/\")).build().method()";

fn source() -> String {
    let all = ANEW.iter().chain(&SAYING).chain(&STEADY).chain([&BESIDE]);
    let cases = all
        .enumerate()
        .map(|(k, what)| format!("            case {k}: return {what};\n"));
    format!(
        "public class Anew {{
    enum Color {{ RED, GREEN, BLUE, BLACK, WHITE }}
    record Point(int x, Color color) {{}}
    static class Own {{ public String toString() {{ return \"own \" + super.toString(); }} }}
    static class Named {{ public String toString() {{ return \"no. \" + hashCode(); }} }}
    static class Held {{
        private final java.util.Set<Color> all = new java.util.HashSet<>(java.util.EnumSet.allOf(Color.class));
        public String toString() {{ return all.toString(); }}
    }}
    static Object shuffled() {{
        java.util.List<Integer> all = new java.util.ArrayList<>(java.util.List.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
        java.util.Collections.shuffle(all);
        return all;
    }}
    public static Object of(int n) {{
        switch (n) {{
{}            default: return System.nanoTime() == 5 ? 1 : 2;
        }}
    }}
    public static int fails(int n) {{
        if (n == 3) throw new IllegalStateException(\"no \" + new Object());
        return n == 7 ? 10 / (new Object().hashCode() * 0) : 1;
    }}
}}
",
        cases.collect::<String>()
    )
}

#[test]
fn what_each_run_has_anew_is_neither_asserted_nor_a_divergence() {
    if !need("java") || !need("junit5") {
        return;
    }
    let place = place!("anew");
    place.write("Anew.java", source());
    javac(&place, ".", "classes", &["Anew.java".into()]);
    let run = ["java", "run", "classes", "--entry", "Anew.of", "--out"];
    let ran = polypath(&place, &[&run[..], &["out"]].concat());
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    let of = testcase::Run::read(&place.join("out"))
        .expect("a run")
        .tests;
    let cases = ANEW.len() + SAYING.len() + STEADY.len();
    assert_eq!(of.len(), cases + 2);
    let test = |k: usize| {
        let is_it = |t: &&testcase::TestCase| t.args[1].ends_with(k.to_string().as_bytes());
        let exact = |t: &&testcase::TestCase| t.args[1] == k.to_string().as_bytes();
        let zero = |t: &&testcase::TestCase| k == 0 && is_it(t) && t.args[1].ends_with(b") 0");
        let found = of.iter().find(|t| exact(t) || zero(t));
        found.unwrap_or_else(|| panic!("case {k}"))
    };
    for (k, what) in ANEW.iter().enumerate() {
        let places = &test(k).expected.unsteady;
        assert!(!places.is_empty(), "{what}");
    }
    for (k, what) in SAYING.iter().chain(&STEADY).enumerate() {
        let expected = &test(ANEW.len() + k).expected;
        assert!(!expected.is_unsteady(), "{what}: {expected:?}");
        let says = String::from_utf8_lossy(&expected.stderr).contains("toString");
        assert!(!says, "{what}: {expected:?}");
    }
    let beside = &test(cases).expected.stderr;
    assert!(
        beside.ends_with(b"\"GET\""),
        "{}",
        String::from_utf8_lossy(beside)
    );

    let file = place.join("out/junit/AnewOfTest.java");
    let text = std::fs::read_to_string(&file).expect("the class");
    let asserted = text.matches("assert").count();
    let kept = SAYING.len() + STEADY.len();
    assert_eq!(
        asserted,
        kept + text.matches("is asserted").count(),
        "{text}"
    );
    let words = "(nothing is asserted of a result: it may follow from what each run answers in its own way (Anew.of:";
    assert!(text.contains(words), "{text}");
    let jars = ["junit-jupiter-api", "apiguardian-api", "opentest4j"];
    let jars = jars.map(crate::java_kit::jar).join(":");
    javac(&place, &format!("classes:{jars}"), "tests", &[file]);

    let (code, summary, said) = replay(&place, "out");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
    let totals = &summary["totals"];
    assert!(totals["unsteady"].as_u64() > Some(12), "{said}");
    // The steady ones are compared, and those that chance to be the same.
    assert!(totals["same"].as_u64() >= Some(kept as u64), "{said}");
    let told = ": unsteady: returned ";
    assert!(
        said.contains(told) && said.contains("in its own way (Anew.of:"),
        "{said}"
    );
}

/// An error is confirmed as ever; that a message is another one is no matter.
#[test]
fn errors_beside_what_each_run_has_anew_are_confirmed() {
    if !need("java") {
        return;
    }
    let place = place!("anew-fails");
    place.write("Anew.java", source());
    javac(&place, ".", "classes", &["Anew.java".into()]);
    let run = [
        "java",
        "run",
        "classes",
        "--entry",
        "Anew.fails",
        "--out",
        "out",
    ];
    let ran = polypath(&place, &run);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let (code, summary, said) = replay(&place, "out");
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(summary["error_totals"]["confirmed"], 1, "{said}");
    assert_eq!(summary["divergences"], serde_json::json!([]), "{said}");
}
