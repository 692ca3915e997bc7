//! Makes a failing program smaller, as text.

use ir::Verified;
use ir::parse::parse;

/// The text of a module, if it is valid.
pub fn read(text: &str) -> Option<Verified> {
    Verified::new(parse(text).ok()?).ok()
}

/// Leaves out lines of code while the rest is a valid program and still `fails`.
pub fn shrink(text: &str, fails: impl Fn(&Verified) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut run = lines.len() / 2;
    while run > 0 {
        let mut changed = false;
        let mut at = 0;
        while at < lines.len() {
            let end = (at + run).min(lines.len());
            let mut rest = lines.clone();
            rest.splice(at..end, []);
            let kept = (at..end).all(|i| may_go(&lines, i));
            if kept && read(&rest.join("\n")).is_some_and(|m| fails(&m)) {
                lines = rest;
                changed = true;
            } else {
                at = end;
            }
        }
        if !changed || run > 1 {
            run /= 2;
        }
    }
    lines.join("\n") + "\n"
}

/// Only instructions go. The first value of a register goes after its last use, and that of a variable whose scope begins
/// stays: what they hold before that, no program may ask.
fn may_go(lines: &[&str], at: usize) -> bool {
    let Some(code) = lines[at].strip_prefix("    ") else {
        return lines[at].is_empty() || lines[at].starts_with('L');
    };
    if code.starts_with("MemSet") && lines[at - 1].contains("ScopeStart") {
        return false;
    }
    let first = code.split_once(" = Copy").or(code.split_once(" = Load"));
    let Some((register, _)) = first.or(code.split_once(" = Alloca")) else {
        return true;
    };
    let function = lines[at..].iter().skip(1);
    let mut rest = function.take_while(|l| !l.starts_with("function"));
    let register = register.trim();
    !rest.any(|l| {
        let words = l.split(|c: char| !c.is_ascii_alphanumeric());
        words.into_iter().any(|w| w == register)
    })
}
