//! Static state that runs change, against enumeration.
//!
//! Generated programs keep all kinds of state in static fields: numbers, arrays, collections, texts, objects, fields of enums. Each bit of their
//! input decides whether they change some of it, or look at a class that has not begun yet; the starts of their classes read each other's state, leave
//! something in it, fail or print. A plain JVM runs each input on classes that were loaded for it; a run must come to the same results, although its
//! inputs share their classes where they can, and its tests must be replayed as they were predicted.
//!
//! POLYPATH_STATICS=N generates N programs (6 if unset).

use crate::java_brute::outcomes;
use std::collections::BTreeSet;
use std::process::Command;
use testkit::{Place, Random, java, place};

/// Bits of input, each of which decides on a step.
const STEPS: usize = 7;
/// Classes with static state of each program.
const CLASSES: usize = 4;

/// A change of the state of a class, or of what depends on it.
fn step(random: &mut Random, name: &str) -> String {
    let other = format!("{name}{}", random.below(CLASSES as u64));
    let k = random.below(3);
    let all = [
        format!("{other}.n += {};", k + 1),
        format!("{other}.n = {other}.n * 3 + {k};"),
        format!("{other}.TABLE[{k}] += {};", k + 5),
        format!("{other}.DEEP[{k}][1] = (byte) {other}.n;"),
        format!("{other}.LIST.add(\"s{k}\");"),
        format!("if (!{other}.LIST.isEmpty()) {other}.LIST.remove(0);"),
        format!("{other}.MAP.merge(\"k{k}\", 1, Integer::sum);"),
        format!("{other}.TEXT.append({other}.n).setLength(2);"),
        format!("{other}.node = new {name}Node({other}.node, {k});"),
        format!("if ({other}.node != null) {other}.node.value += 2;"),
        format!("{name}Kind.TWO.hits += {};", k + 1),
        format!("{other}.last = a; if ({other}.last > {k}) {other}.n++;"),
        format!("if ({other}.last > 4) {other}.n += 100;"),
        format!("{other}.COUNT.incrementAndGet();"),
        format!("{other}.WORDS[{k}] = {other}.WORDS[0] + \"x\";"),
        format!("{other}.held = new int[] {{ {other}.n, {k} }};"),
        format!("{other}.n += {other}.held[0];"),
        format!("{other}.sum();"),
    ];
    let step = random.pick(&all);
    if random.chance(15) {
        // It may be that the class cannot begin.
        return format!("try {{ {step} }} catch (LinkageError e) {{ failed++; }}");
    }
    step
}

/// What else the start of a class does: most do nothing.
fn start(random: &mut Random, name: &str, own: usize) -> String {
    if random.chance(45) {
        return String::new();
    }
    let other = format!("{name}{}", random.below(CLASSES as u64));
    let all = [
        format!("n += {other}.n;"),
        format!("{other}.LIST.add(\"start of {own}\");"),
        format!("if ({other}.n > 6) throw new IllegalStateException(\"{own}\");"),
        format!("System.out.println(\"{own} begins\");"),
        format!("TABLE[0] = {other}.sum();"),
        format!("node = new {name}Node({other}.node, 1);"),
        "LOCAL = new ThreadLocal<>(); ((ThreadLocal) LOCAL).set(1);".into(),
        format!("{name}Kind.TWO.hits++;"),
        "java.util.function.IntSupplier f = () -> n + 1; n = f.getAsInt();".into(),
    ];
    random.pick(&all)
}

/// A program; its method `path` has a byte as input.
fn program(random: &mut Random, name: &str) -> String {
    let mut text = format!(
        "class {name}Node {{ final {name}Node next; int value; {name}Node({name}Node next, int value) {{ this.next = next; this.value = value; }} }}\n\
         enum {name}Kind {{ ONE, TWO; int hits; }}\n"
    );
    for k in 0..CLASSES {
        let start = start(random, name, k);
        let first = random.below(4);
        text += &format!(
            "@SuppressWarnings({{\"rawtypes\", \"unchecked\"}})\n\
             class {name}{k} {{\n\
             static int n = {first};\n static byte last;\n static int[] held = {{ 1 }};\n static {name}Node node;\n static Object LOCAL;\n\
             static final int[] TABLE = {{ 1, 2, 3 }};\n static final byte[][] DEEP = new byte[3][2];\n\
             static final String[] WORDS = {{ \"a\", \"b\", null }};\n\
             static final java.util.List<String> LIST = new java.util.ArrayList<>(java.util.Arrays.asList(\"s\"));\n\
             static final java.util.Map<String, Integer> MAP = new java.util.TreeMap<>();\n\
             static final StringBuilder TEXT = new StringBuilder(\"t\");\n\
             static final java.util.concurrent.atomic.AtomicInteger COUNT = new java.util.concurrent.atomic.AtomicInteger();\n\
             static {{ {start} }}\n\
             static int sum() {{\n\
             int s = n + 7 * TABLE[0] + 11 * TABLE[1] + 13 * TABLE[2] + 17 * LIST.hashCode() + 19 * MAP.hashCode() + 23 * TEXT.toString().hashCode();\n\
             for ({name}Node x = node; x != null; x = x.next) s = 31 * s + x.value;\n\
             for (byte[] d : DEEP) s = 37 * s + d[1];\n\
             return 41 * s + 43 * COUNT.get() + held.length + java.util.Arrays.hashCode(WORDS);\n }}\n}}\n"
        );
    }
    let mut steps = String::new();
    for bit in 0..STEPS {
        let step = step(random, name);
        steps += &format!("if ((a & {}) != 0) {{ {step} }}\n", 1 << bit);
    }
    // Some classes have begun only if a step needed them.
    let seen = random.below(CLASSES as u64);
    text + &format!(
        "public class {name} {{\n static int failed;\n\
         public static int path(byte a) {{\n{steps}\
         int s = failed + 3 * {name}Kind.TWO.hits;\n\
         try {{ s = 31 * s + {name}{seen}.sum(); }} catch (LinkageError e) {{ s++; }}\n return s;\n }}\n}}\n"
    )
}

/// Runs each input on classes of its own.
const ALONE: &str = r#"
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;

public class Alone {
    public static void main(String[] names) throws Exception {
        URL[] path = {Alone.class.getProtectionDomain().getCodeSource().getLocation()};
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        for (String name : names) {
            java.util.TreeSet<String> all = new java.util.TreeSet<>();
            for (int a = -128; a < 128; a++) {
                ClassLoader fresh = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
                try {
                    all.add("returned I " + fresh.loadClass(name).getMethod("path", byte.class).invoke(null, (byte) a));
                } catch (InvocationTargetException e) {
                    all.add("threw " + e.getCause().getClass().getName());
                }
            }
            out.println(name + "\t" + String.join("\t", all));
        }
    }
}
"#;

/// What a plain JVM comes to with each program.
fn truth(place: &Place, names: &[String]) -> Vec<BTreeSet<String>> {
    let mut command = Command::new("java");
    command.current_dir(&**place);
    command.args(["-cp", "classes", "Alone"]).args(names);
    let output = command.output().expect("java");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let outcomes = |line: &str| line.split('\t').skip(1).map(str::to_string).collect();
    text.lines().map(outcomes).collect()
}

#[test]
fn runs_find_static_state_as_the_starts_of_classes_left_it() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("statics");
    let programs = std::env::var("POLYPATH_STATICS").ok();
    let programs: usize = programs.and_then(|n| n.parse().ok()).unwrap_or(6);
    let mut random = Random::new(1);
    let names: Vec<String> = (0..programs).map(|k| format!("S{k}x")).collect();
    let mut sources = Vec::new();
    for name in &names {
        let file = format!("{name}.java");
        place.write(&file, program(&mut random, name));
        sources.push(place.join(&file));
    }
    place.write("Alone.java", ALONE);
    sources.push(place.join("Alone.java"));
    java::compile(&place, &[], &sources);
    let truth = truth(&place, &names);
    assert_eq!(truth.len(), programs);
    for (name, wanted) in names.iter().zip(&truth) {
        let entry = format!("{name}.path");
        let run = ["java", "run", "classes", "--entry", &entry, "--out", name];
        let more = ["--time", "120", "--junit", "none"];
        let ran = place.polypath(run.iter().chain(&more));
        let source = place.text(&format!("{name}.java"));
        assert_eq!(
            &outcomes(&place.join(name)),
            wanted,
            "{}\n{source}",
            ran.text()
        );
        let replayed = place.polypath(["replay", name]);
        let said = replayed.text();
        assert!(matches!(replayed.code, 0 | 1), "{said}\n{source}");
    }
}
