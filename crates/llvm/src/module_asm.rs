//! Assembly outside of functions (`__asm__(".set new, old")`): names that it defines.
//!
//! `.set`, `.equ` and `NAME = OTHER` give a definition of the program a further name, and so does `.symver` with the
//! version that is the default. Other definitions by assembly have no code here: a call of one ends its path with the
//! name. If such a name would replace a weak definition, the program is refused.

use crate::ffi::Module;
use crate::resolution::{is_weak, rename};

/// The effect of a statement.
#[derive(Debug, PartialEq, Eq)]
enum Statement<'t> {
    /// The name is what another one is.
    Same(&'t str, &'t str),
    /// The name is a place or number of the assembly's own.
    Own(&'t str),
}

/// Gives names that assembly defines their meaning.
///
/// # Errors
/// The name of a weak definition in whose place assembly puts something else.
pub fn apply(module: Module) -> Result<(), String> {
    let text = module.assembly();
    if let Some(section) = run_by_libc(&text) {
        return Err(format!(
            "assembly outside of functions puts code or pointers into section {section}, which run before or after main"
        ));
    }
    let named = |name: &str| module.function(name).or_else(|| module.global(name));
    for statement in statements(&text) {
        let (name, target) = match statement {
            Statement::Same(name, target) => (name, named(target)),
            Statement::Own(name) => (name, None),
        };
        // Beside another definition of C the name is one of this file's only.
        let Some(old) = named(name).filter(|v| v.is_declaration() || is_weak(*v)) else {
            continue;
        };
        match target.filter(|new| !new.is_declaration() && *new != old) {
            Some(new) => rename(module, old, new, name),
            None if old.is_declaration() => {}
            None => {
                return Err(format!(
                    "assembly outside of functions defines {name}, and takes the place of a weak definition"
                ));
            }
        }
    }
    Ok(())
}

/// The first section of those that run at the program's start or end.
fn run_by_libc(text: &str) -> Option<&str> {
    let words = text.split(|c: char| c.is_whitespace() || ",;\"".contains(c));
    let mut before = "";
    for word in words.filter(|w| !w.is_empty()) {
        let is_section = matches!(before, ".section" | ".pushsection");
        let list = [".init", ".fini", ".init_array", ".fini_array"];
        let is_one = |name: &&str| word == *name || word.starts_with(&format!("{name}."));
        if is_section && list.iter().any(is_one) {
            return Some(word);
        }
        before = word;
    }
    None
}

/// The statements of the text that define names, in GNU's syntax for x86-64.
fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut found = Vec::new();
    let is_name = |name: &str| {
        let mut chars = name.chars();
        chars
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || "_.$".contains(c))
            && chars.all(|c| c.is_ascii_alphanumeric() || "_.$@".contains(c))
    };
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or("");
        for statement in line.split(';') {
            let mut rest = statement.trim();
            while let Some((label, after)) = rest.split_once(':') {
                let label = label.trim();
                if !is_name(label) {
                    break;
                }
                found.extend((!label.starts_with(".L")).then_some(Statement::Own(label)));
                rest = after.trim();
            }
            let (directive, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let pair = match directive {
                ".set" | ".equ" | ".equiv" => operands.split_once(','),
                ".symver" => operands.split_once(',').and_then(|(old, new)| {
                    // One `@` hides the name from those that ask for no version.
                    let (new, _) = new.split_once("@@")?;
                    Some((new, old))
                }),
                _ => rest.split_once('=').filter(|_| !rest.starts_with('.')),
            };
            let Some((name, value)) = pair.map(|(a, b)| (a.trim(), b.trim())) else {
                continue;
            };
            if !is_name(name) || name == value {
                continue;
            }
            found.push(if is_name(value) && value != "." {
                Statement::Same(name, value)
            } else {
                Statement::Own(name)
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_that_run_are_found() {
        assert_eq!(
            run_by_libc(".pushsection .init_array.5,\"aw\""),
            Some(".init_array.5")
        );
        assert_eq!(
            run_by_libc(".text; .section\t\".fini\", \"ax\""),
            Some(".fini")
        );
        assert_eq!(
            run_by_libc(".section .initial\n.section .text\n.init: ret"),
            None
        );
    }

    #[test]
    fn definitions_of_names_are_found() {
        use Statement::{Own, Same};
        let text = ".globl foo\n.set foo, bar\n a: .Lx: b: ret; .equ n , 5\nc = d # e = f\n\
            .symver old_f, f@@V2\n.symver g, g@V1\n.type h, @function\n movl $x, %eax\n.section .note.x,\"a\"";
        let found = [
            Same("foo", "bar"),
            Own("a"),
            Own("b"),
            Own("n"),
            Same("c", "d"),
            Same("f", "old_f"),
        ];
        assert_eq!(statements(text), found);
    }
}
