//! Automata in tables: generated ones, held against enumeration.
//!
//! The state that a table gives for the bytes before is the index at which the next one is read. Paths are split by the states, in
//! fork and in concolic mode, and no state may be lost or made up by that; an entry that leads out of the table is found if, and
//! only if, some text leads there.

use crate::java_kit;
use std::collections::BTreeSet;
use std::fmt::Write;
use testkit::{Place, Random, engine, need, place};

/// Bytes of a text.
const LENGTH: usize = 4;

struct Automaton {
    /// The class of each byte.
    class: Vec<usize>,
    classes: usize,
    /// By state and class; a state that is none ends with an access outside of the table.
    next: Vec<Vec<usize>>,
    /// The table has a row for each byte, and not for each class.
    is_wide: bool,
    /// The C type of its elements.
    element: &'static str,
}

impl Automaton {
    fn any(random: &mut Random) -> Automaton {
        let (states, classes) = (2 + random.index(6), 2 + random.index(4));
        let mut class: Vec<usize> = (0..256).map(|_| random.index(classes)).collect();
        // Some are alone in their class.
        class[usize::from(b'x')] = classes - 1;
        let mut next: Vec<Vec<usize>> = (0..states)
            .map(|_| (0..classes).map(|_| random.index(states)).collect())
            .collect();
        if random.index(2) == 0 {
            next[random.index(states)][random.index(classes)] = 200;
        }
        Automaton {
            class,
            classes,
            next,
            is_wide: random.index(2) == 0,
            element: ["unsigned char", "short", "int"][random.index(3)],
        }
    }

    fn c(&self) -> String {
        let list = |numbers: &mut dyn Iterator<Item = usize>| {
            let mut text = String::new();
            for number in numbers {
                write!(text, "{number},").expect("a text");
            }
            text
        };
        let (states, element) = (self.next.len(), self.element);
        let mut text = String::from("#include <unistd.h>\n");
        let (columns, column) = if self.is_wide {
            (256, "text[i]")
        } else {
            let classes = list(&mut self.class.iter().copied());
            writeln!(
                text,
                "static const unsigned char class[256] = {{{classes}}};"
            )
            .expect("a text");
            (self.classes, "class[text[i]]")
        };
        let wide = |row: &Vec<usize>| -> Vec<usize> {
            (0..256).map(|byte| row[self.class[byte]]).collect()
        };
        let rows = self
            .next
            .iter()
            .map(|row| if self.is_wide { wide(row) } else { row.clone() });
        let all: Vec<usize> = rows.flatten().collect();
        let all = list(&mut all.into_iter());
        writeln!(
            text,
            "static const {element} next[{states} * {columns}] = {{{all}}};\n\
             int main(void) {{\n    unsigned char text[{LENGTH}];\n    if (read(0, text, {LENGTH}) != {LENGTH}) return 99;\n    \
             int state = 0;\n    for (int i = 0; i < {LENGTH}; i++) state = next[state * {columns} + {column}];\n    \
             for (int k = 0; k < {states}; k++) if (state == k) return k;\n    return 200;\n}}"
        )
        .expect("a text");
        text
    }

    /// The same as a class of Java, whose text is an array of bytes.
    fn java(&self, name: &str) -> String {
        let list = |numbers: &[usize]| {
            let numbers = numbers.iter().map(usize::to_string);
            numbers.collect::<Vec<_>>().join(", ")
        };
        let (columns, column) = if self.is_wide {
            (256, "(text[i] & 255)")
        } else {
            (self.classes, "CLASS[text[i] & 255]")
        };
        let rows = self.next.iter().map(|row| {
            if self.is_wide {
                (0..256).map(|byte| row[self.class[byte]]).collect()
            } else {
                row.clone()
            }
        });
        let next: Vec<usize> = rows.collect::<Vec<_>>().concat();
        let element = match self.element {
            "unsigned char" => "char",
            other => other,
        };
        format!(
            "public class {name} {{\n\
             private static final byte[] CLASS = {{{}}};\n\
             private static final {element}[] NEXT = {{{}}};\n\
             public static void run(byte[] text) {{\n\
             int state = 0;\n\
             for (int i = 0; i < {LENGTH}; i++) state = NEXT[state * {columns} + {column}];\n\
             for (int k = 0; k < {}; k++) if (state == k) System.exit(k);\n\
             System.exit(200);\n}}\n}}\n",
            list(&self.class),
            list(&next),
            self.next.len()
        )
    }

    /// How many paths there are if each is split by the states when the next byte meets them, and by the class of that byte, where it has a table of its
    /// own. After such a split the next state is a constant, so that the byte behind meets none.
    fn paths(&self) -> usize {
        let mut paths = BTreeSet::new();
        let texts = self.classes.pow(LENGTH as u32);
        for text in 0..texts {
            let mut state = 0;
            let mut path = Vec::new();
            for i in 0..LENGTH {
                let class = text / self.classes.pow(i as u32) % self.classes;
                let is_split = !self.is_wide && i % 2 == 1;
                let row = self.next.get(state);
                let next = row.map(|row| row[class]);
                if is_split {
                    path.push(class);
                } else {
                    path.extend(next);
                }
                let Some(next) = next else {
                    break;
                };
                state = next;
            }
            paths.insert(path);
        }
        paths.len()
    }

    /// The statuses of all texts, and whether some text leads out of the table.
    fn outcomes(&self) -> (BTreeSet<usize>, bool) {
        let mut states = BTreeSet::from([0]);
        let mut leaves = false;
        for i in 0..LENGTH {
            let from = states.iter().filter_map(|&s| self.next.get(s));
            let all: BTreeSet<usize> = from.flatten().copied().collect();
            leaves |= i + 1 < LENGTH && all.iter().any(|&s| s >= self.next.len());
            states = all;
        }
        (states, leaves)
    }
}

fn explored(place: &Place, program: &str, out: &str, options: &[&str]) -> (BTreeSet<usize>, bool) {
    let mut words = vec!["run", program, "--out", out, "--sym-stdin", "4"];
    words.push("--sym-exact");
    words.extend(["--tests", "all", "--jobs", "1", "--time", "300"]);
    words.extend(options);
    let ran = place.polypath(&words);
    assert!(
        ran.text().contains("everything was explored"),
        "{}",
        ran.text()
    );
    let errors = place.json(&format!("{out}/errors.json"));
    let kinds = errors.as_array().expect("a list").iter();
    let kinds: Vec<&str> = kinds.filter_map(|e| e["kind"].as_str()).collect();
    assert!(
        kinds.iter().all(|kind| *kind == "out_of_bounds"),
        "{kinds:?}"
    );
    let run = testcase::Run::read(&place.join(out)).expect("a run");
    let statuses = run
        .tests
        .iter()
        .filter_map(|test| match test.expected.exit {
            testcase::ExitKind::Status(status) => usize::try_from(status).ok(),
            _ => None,
        });
    (statuses.collect(), !kinds.is_empty())
}

#[test]
fn no_state_is_lost_or_made_up() {
    let Some(place) = engine!("automata") else {
        return;
    };
    let mut random = Random::new(40);
    let mut leave = 0;
    for number in 0..8 {
        let automaton = Automaton::any(&mut random);
        let program = format!("a{number}.c");
        place.write(&program, automaton.c());
        let wanted = automaton.outcomes();
        leave += usize::from(wanted.1);
        for mode in ["fork", "concolic"] {
            let out = format!("{mode}{number}");
            let found = explored(&place, &program, &out, &["--mode", mode]);
            assert_eq!(found, wanted, "{mode}: {}", automaton.c());
        }
        let replayed = place.polypath(["replay", &format!("fork{number}")]);
        assert_eq!(replayed.code, i32::from(wanted.1), "{}", replayed.text());
    }
    assert!((1..8).contains(&leave), "one-sided: {leave}");
}

#[test]
fn java_paths_are_those_that_enumeration_knows() {
    if !need("java") {
        return;
    }
    let place = place!("java-automata");
    let mut random = Random::new(41);
    let mut leave = 0;
    for number in 0..4 {
        let automaton = Automaton::any(&mut random);
        let (name, out) = (format!("A{number}"), format!("out{number}"));
        let file = format!("{name}.java");
        place.write(&file, automaton.java(&name));
        java_kit::javac(&place, ".", "classes", &[file.into()]);
        let entry = format!("{name}.run");
        let mut words = vec!["java", "run", "classes", "--entry", &entry, "--out", &out];
        words.extend(["--array-len", "4-4", "--tests", "all", "--time", "300"]);
        let ran = java_kit::polypath(&place, &words);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(said.contains("everything was explored"), "{said}");
        let run = testcase::Run::read(&place.join(&out)).expect("a run");
        let ends = run.tests.iter().map(|test| match test.expected.exit {
            testcase::ExitKind::Status(status) if test.error.is_none() => Some(status),
            _ => None,
        });
        let ends: Vec<Option<i32>> = ends.collect();
        let statuses = ends.iter().flatten();
        let statuses: BTreeSet<usize> = statuses.map(|&status| status as usize).collect();
        let found = (statuses, ends.contains(&None));
        let wanted = automaton.outcomes();
        leave += usize::from(wanted.1);
        assert_eq!(found, wanted, "{}", automaton.java(&name));
        // No sequence is missing, and no byte is split further than into its classes.
        let (least, most) = (automaton.paths(), automaton.classes.pow(LENGTH as u32));
        let most = most.max(least);
        assert!(
            (least..=most).contains(&ends.len()),
            "{} paths: {}",
            ends.len(),
            automaton.java(&name)
        );
        let (code, _, said) = java_kit::replay(&place, &out);
        assert_eq!(code, Some(i32::from(wanted.1)), "{said}");
    }
    assert!((1..4).contains(&leave), "one-sided: {leave}");
}
