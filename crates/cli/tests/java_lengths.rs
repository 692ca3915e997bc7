//! What a program asks of the length of its input, against enumeration.
//!
//! Generated methods ask in many ways how long a string or an array is: comparisons, indices, copies, hash codes, searches. A plain JVM calls each
//! of them with every array up to two bytes, and with strings of up to two characters of some alphabet; whatever comes of that, a run that claims to have explored
//! everything has to come to, too.
//!
//! POLYPATH_LENGTHS=N generates N methods (6 if unset).

use crate::java_brute::outcomes;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use testkit::{Place, Random, java, place};

/// Each kind of parameter with its type.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Bytes,
}

/// Characters of every way in which the JDK keeps them.
const LETTERS: [&str; 4] = ["'a'", "'b'", "'\\u00e9'", "'\\u0100'"];

/// A number of the parameter `v`; `deep` levels of operations are within others.
fn number(random: &mut Random, kind: Kind, deep: u32) -> String {
    if deep == 0 || random.chance(25) {
        return match kind {
            Kind::Text => "v.length()".into(),
            Kind::Bytes => "v.length".into(),
        };
    }
    if random.chance(20) {
        return random.below(4).to_string();
    }
    let letter = random.pick(&LETTERS);
    let (x, y) = (
        number(random, kind, deep - 1),
        number(random, kind, deep - 1),
    );
    let all = match kind {
        Kind::Text => vec![
            format!("v.indexOf({letter})"),
            format!("v.lastIndexOf({letter})"),
            format!("(int) v.charAt({x})"),
            "v.hashCode()".into(),
            "v.trim().length()".into(),
            "(v + \"b\").length()".into(),
            "v.compareTo(\"ab\")".into(),
            "v.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1).length".into(),
            "v.toCharArray().length".into(),
            format!("({x} - {y})"),
        ],
        Kind::Bytes => vec![
            format!("(int) v[{x}]"),
            "java.util.Arrays.hashCode(v)".into(),
            "v.clone().length".into(),
            "java.util.Arrays.copyOf(v, 2)[1]".into(),
            "sum(v)".into(),
            format!("({x} * {y})"),
        ],
    };
    random.pick(&all)
}

fn condition(random: &mut Random, kind: Kind) -> String {
    if random.chance(40) {
        let of_text = [
            "v.equals(\"ab\")",
            "v.isEmpty()",
            "v.startsWith(\"a\")",
            "v.endsWith(\"b\")",
            "v.contains(\"ab\")",
            "\"b\".equals(v)",
            "v.equals(new StringBuilder(v).reverse().toString())",
            "v.substring(1).equals(\"b\")",
            "java.util.List.of(\"ab\", \"b\").contains(v)",
        ];
        let of_bytes = [
            "java.util.Arrays.equals(v, new byte[] {97, 98})",
            "new String(v).equals(\"ab\")",
        ];
        return match kind {
            Kind::Text => random.pick(&of_text).into(),
            Kind::Bytes => random.pick(&of_bytes).into(),
        };
    }
    let relation = random.pick(&["<", "==", ">", "!=", "<="]);
    let (x, y) = (number(random, kind, 2), number(random, kind, 2));
    format!("{x} {relation} {y}")
}

fn body(random: &mut Random, kind: Kind, deep: u32, results: &mut u32) -> String {
    if deep == 0 {
        *results += 1;
        return format!("return {results};");
    }
    let condition = condition(random, kind);
    let mut part = || body(random, kind, deep - 1, results);
    let (one, other) = (part(), part());
    format!("if ({condition}) {{ {one} }} else {{ {other} }}")
}

/// A class with the methods, whose `main` says what comes of each.
fn program(random: &mut Random, methods: usize) -> String {
    let mut text = String::from(
        "public class Lengths {\n static int sum(byte[] a) { int s = 0; for (byte b : a) s += b; return s; }\n",
    );
    for k in 0..methods {
        let (kind, parameter) = match k % 2 {
            0 => (Kind::Text, "String"),
            _ => (Kind::Bytes, "byte[]"),
        };
        let body = body(random, kind, 3, &mut 0);
        text += &format!(" public static int f{k}({parameter} v) {{ {body} }}\n");
    }
    text + r#"
 static final char[] LETTERS = {'a', 'b', '\u00e9', '\u0100', '\0', 'k', ' ', 'A'};
 public static void main(String[] x) throws Exception {
  for (java.lang.reflect.Method m : Lengths.class.getMethods()) {
   if (!m.getName().matches("f\\d+")) continue;
   java.util.TreeSet<String> all = new java.util.TreeSet<>();
   boolean isText = m.getParameterTypes()[0] == String.class;
   int base = isText ? LETTERS.length : 256;
   int count = 1;
   for (int n = 0; n <= 2; n++, count *= base) {
    for (int q = 0; q < count; q++) {
     char[] c = new char[n];
     byte[] b = new byte[n];
     for (int i = 0, r = q; i < n; i++, r /= base) {
      if (isText) c[i] = LETTERS[r % base];
      else b[i] = (byte) (r % base);
     }
     try {
      all.add("returned I " + m.invoke(null, isText ? new String(c) : (Object) b));
     } catch (java.lang.reflect.InvocationTargetException e) {
      all.add("threw " + e.getCause().getClass().getName());
     }
    }
   }
   System.out.println(m.getName() + "\t" + String.join("\t", all));
  }
 }
}
"#
}

/// What a plain JVM says of each method.
fn truth(place: &Place) -> BTreeMap<String, BTreeSet<String>> {
    let mut command = Command::new("java");
    command
        .current_dir(&**place)
        .args(["-cp", "classes", "Lengths"]);
    let output = command.output().expect("java");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let line = |line: &str| {
        let mut words = line.split('\t').map(str::to_string);
        Some((words.next()?, words.collect()))
    };
    text.lines().filter_map(line).collect()
}

#[test]
fn generated_methods_come_to_what_enumeration_comes_to() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("lengths");
    let methods = std::env::var("POLYPATH_LENGTHS").ok();
    let methods = methods.and_then(|n| n.parse().ok()).unwrap_or(6);
    place.write("Lengths.java", program(&mut Random::new(2), methods));
    java::compile(&place, &[], &[place.join("Lengths.java")]);
    let truth = truth(&place);
    assert_eq!(truth.len(), methods);
    let mut complete = 0;
    for (name, wanted) in truth {
        let entry = format!("Lengths.{name}");
        let run = ["java", "run", "classes", "--entry", &entry, "--out", &name];
        let more = ["--array-len", "0-2", "--time", "30", "--junit", "none"];
        let ran = place.polypath(run.iter().chain(&more));
        let found = outcomes(&place.join(&name));
        if place.json(&format!("{name}/stats.json"))["halted"].is_null() {
            complete += 1;
            let missed: Vec<&String> = wanted.difference(&found).collect();
            assert!(missed.is_empty(), "{name}: {missed:?}: {}", ran.text());
        }
    }
    assert!(
        complete * 2 >= methods,
        "{complete} of {methods} are complete"
    );
}
