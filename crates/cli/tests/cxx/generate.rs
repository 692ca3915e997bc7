//! Generated programs with exceptions: random trees of calls in which random places throw, with handlers, and destructors that write
//! what they see.

use std::fmt::Write;
use testkit::Random;

/// What every program begins with. `chance` gives the same numbers everywhere.
const HEAD: &str = r#"
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
static unsigned long seed;
static unsigned steps, calls;
static bool chance(unsigned percent)
{
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return ++steps < 400 && (seed >> 33) % 100 < percent;
}
struct Log {
    int id;
    explicit Log(int id) : id(id) { std::printf("+%d ", id); }
    Log(const Log &other) : id(other.id + 1000) { std::printf("=%d ", id); }
    ~Log() { std::printf("-%d/%d ", id, std::uncaught_exceptions()); }
};
struct Base { virtual ~Base() {} virtual int number() const { return 1; } };
struct Left : virtual Base { int number() const override { return 2; } };
struct Right : virtual Base { std::string text = "a text that is too long for the small ones"; };
struct Both : Left, Right { int number() const override { return 4; } };
struct Hidden : private std::runtime_error { Hidden() : std::runtime_error("hidden") {} };
struct Part { Log log; Part(int id, bool fails) : log(id) { if (fails) throw id; } };
struct Whole { Part first, second; Whole(int id) : first(id, chance(10)), second(id + 1, chance(20)) { if (chance(10)) throw Both(); } };
"#;

const THROWS: [&str; 10] = [
    "throw 7;",
    "throw 'c';",
    "throw \"words\";",
    "throw Left();",
    "throw Right();",
    "throw Both();",
    "throw std::out_of_range(\"range\");",
    "throw std::runtime_error(std::string(\"run\") + \"time\");",
    "throw Hidden();",
    "{ static Both both; throw static_cast<Base *>(&both); }",
];

const HANDLERS: [&str; 10] = [
    "catch (int i) { std::printf(\"int %d \", i); @ }",
    "catch (const Base &b) { std::printf(\"base %d \", b.number()); @ }",
    "catch (Left l) { std::printf(\"left %d \", l.number()); @ }",
    "catch (Right &r) { std::printf(\"right %s \", r.text.c_str()); @ }",
    "catch (const std::logic_error &e) { std::printf(\"logic %s \", e.what()); @ }",
    "catch (const std::exception &e) { std::printf(\"standard %s \", e.what()); @ }",
    "catch (const char *s) { std::printf(\"%s \", s); @ }",
    "catch (const Base *b) { std::printf(\"pointer %d \", b->number()); @ }",
    "catch (const void *) { std::printf(\"void \"); @ }",
    "catch (char c) { std::printf(\"%c \", c); @ }",
];

/// Functions of a program. Each calls later ones only.
const FUNCTIONS: usize = 7;

struct Generator {
    random: Random,
    ids: u32,
    text: String,
}

/// A program that runs its tree of calls for so many seeds.
pub fn program(seed: u64, runs: u32) -> String {
    let mut g = Generator {
        random: Random::new(seed),
        ids: 0,
        text: HEAD.to_owned(),
    };
    for f in (0..FUNCTIONS).rev() {
        g.function(f);
    }
    let _ = write!(
        g.text,
        "int main()\n{{\n    for (unsigned run = 0; run < {runs}; run++) {{\n        seed = run * 77777 + 5; steps = calls = 0;\n        \
         try {{ std::printf(\"= %d \", f0(3)); }} catch (...) {{ std::printf(\"out \"); }}\n        \
         std::printf(\"%d\\n\", std::uncaught_exceptions());\n    }}\n}}\n"
    );
    g.text
}

impl Generator {
    fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(depth));
    }

    fn function(&mut self, f: usize) {
        // Nothing may leave a function that promises so.
        let promises = self.random.chance(15);
        let head = if promises {
            format!("static int f{f}(int n) noexcept\ntry {{")
        } else {
            format!("static int f{f}(int n)\n{{")
        };
        self.line(0, &head);
        self.line(1, "if (++calls > 60) return n;");
        let id = self.id();
        self.line(1, &format!("Log log{id}({id});"));
        self.block(f, 1, 3);
        self.line(1, "return n + 1;");
        let end = if promises {
            "} catch (...) { std::printf(\"kept \"); return -n; }\n"
        } else {
            "}\n"
        };
        self.line(0, end);
    }

    fn block(&mut self, f: usize, depth: usize, left: u32) {
        for _ in 0..2 + self.random.below(3) {
            self.statement(f, depth, left);
        }
    }

    fn statement(&mut self, f: usize, depth: usize, left: u32) {
        let id = self.id();
        match self.random.below(if left == 0 { 6 } else { 10 }) {
            0 => self.line(depth, &format!("Log log{id}({id});")),
            1 | 2 if f + 1 < FUNCTIONS => {
                let callee = f + 1 + self.random.index(FUNCTIONS - f - 1);
                self.line(depth, &format!("n += f{callee}(n) & 7;"));
            }
            1..=3 => {
                let throws = self.random.pick(&THROWS);
                let percent = self.random.pick(&[5, 15, 40]);
                self.line(depth, &format!("if (chance({percent})) {throws}"));
            }
            4 => self.line(depth, &format!("Whole whole{id}({id}00);")),
            5 => self.line(
                depth,
                &format!("{{ Part parts[2] = {{Part({id}, false), Part({id}, chance(30))}}; std::vector<Log> copies(1, parts[0].log); }}"),
            ),
            6 => {
                self.line(depth, "for (int i = 0; i < 2; i++) {");
                self.line(depth + 1, &format!("auto log{id} = std::make_unique<Log>({id});"));
                self.block(f, depth + 1, left - 1);
                self.line(depth, "}");
            }
            7 => {
                self.line(depth, &format!("std::exception_ptr kept{id};"));
                self.line(depth, "try {");
                self.block(f, depth + 1, left - 1);
                self.line(depth, &format!("}} catch (...) {{ kept{id} = std::current_exception(); }}"));
                self.line(depth, &format!("if (kept{id} && chance(40)) std::rethrow_exception(kept{id});"));
            }
            _ => self.caught(f, depth, left - 1),
        }
    }

    fn caught(&mut self, f: usize, depth: usize, left: u32) {
        self.line(depth, "try {");
        self.block(f, depth + 1, left);
        self.line(depth, "}");
        for _ in 0..self.random.below(4) {
            let handler = self.random.pick(&HANDLERS);
            let reaction = self.reaction(f);
            self.line(depth, &handler.replace('@', &reaction));
        }
        let id = self.id();
        let reaction = self.reaction(f);
        self.line(
            depth,
            &format!("catch (...) {{ Log log{id}({id}); {reaction} }}"),
        );
    }

    /// What a handler does in the end.
    fn reaction(&mut self, f: usize) -> String {
        let call = if f + 1 < FUNCTIONS {
            format!("n += f{}(n) & 3;", f + 1)
        } else {
            String::new()
        };
        let throws = self.random.pick(&THROWS);
        self.random.pick(&[
            String::new(),
            "if (chance(50)) throw;".to_owned(),
            format!("if (chance(30)) {throws}"),
            call,
            "if (chance(40)) return n;".to_owned(),
        ])
    }
}
