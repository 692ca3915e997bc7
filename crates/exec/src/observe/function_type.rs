//! Calls of a function through a pointer of another type (`--check function-type`).
//!
//! C leaves every such call undefined. The check reports those that are wrong in machine code as well: an argument
//! that the function reads and nobody passed, or passed in another kind of register or too narrow; and a result that
//! the caller takes and nobody gave. Arguments that nobody reads and results that nobody takes do no harm: with
//! `pedantic` they are reported, too, in calls of the program.

use crate::errors::{ErrorKind, Termination};
use crate::machine::Machine;
use crate::state::State;
use ir::Function;
use vocab::Check;

impl Machine {
    /// A function is called through a type that is not its own. Of calls among libc's functions nothing is asked.
    #[cold]
    pub(crate) fn check_type(
        &mut self,
        s: &State,
        ty: u32,
        f: &Function,
    ) -> Result<(), Termination> {
        let is_own = self.is_own(s);
        // `main` may be of several types.
        if !(is_own || f.own && f.name != "main")
            || self.observers.fitting_types.contains(&(ty, f.ty))
            || vocab::PLACEHOLDERS.contains(&f.name.as_str())
        {
            return Ok(());
        }
        let strings = &self.module.strings;
        let (called, has) = (&strings[ty as usize], &strings[f.ty as usize]);
        let is_pedantic = self.options.checks.has(Check::Pedantic) && is_own;
        let fits = if is_pedantic {
            without_dots(called) == *has
        } else {
            works(called, has)
        };
        if !fits {
            let name = &f.name;
            let text = format!("{name} has the type `{has}` and is called as `{called}`");
            return Err(self.error(s, ErrorKind::FunctionType, text));
        }
        // Another caller asks less, but not more.
        if is_pedantic || !self.options.checks.has(Check::Pedantic) {
            self.observers.fitting_types.insert((ty, f.ty));
        }
        Ok(())
    }
}

/// A type without prototype counts by its arguments.
fn without_dots(ty: &str) -> String {
    ty.replace(", ...)", ")").replace("(...)", "()")
}

/// Does a call of one type get on with a function of another in machine code?
fn works(called: &str, has: &str) -> bool {
    // What is passed for dots the type does not say.
    let is_open = called.ends_with("...)");
    let (called, has) = (without_dots(called), without_dots(has));
    let (Some((result, passed)), Some((gives, wants))) = (parts(&called), parts(&has)) else {
        return called == has;
    };
    // A structure in registers begins in the one of a lone value.
    let first = gives
        .strip_prefix("{ ")
        .and_then(|f| f.split([',', ' ']).next());
    let is_taken =
        result == "void" || holds(gives, result) || first.is_some_and(|first| holds(first, result));
    let passed: Vec<&str> = types(passed);
    let wants = types(wants);
    is_taken
        && (is_open || passed.len() >= wants.len())
        && passed.iter().zip(&wants).all(|(p, w)| holds(p, w))
}

/// `RESULT (PARAMETERS)`.
fn parts(ty: &str) -> Option<(&str, &str)> {
    let (result, rest) = ty.split_once(" (")?;
    Some((result, rest.strip_suffix(')')?))
}

/// Splits a list of types; those of structures and vectors have commas of their own.
fn types(list: &str) -> Vec<&str> {
    let (mut all, mut depth, mut from) = (Vec::new(), 0, 0);
    for (i, c) in list.char_indices() {
        match c {
            '{' | '[' | '<' | '(' => depth += 1,
            '}' | ']' | '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                all.push(list[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    let last = list[from..].trim();
    if !last.is_empty() {
        all.push(last);
    }
    all
}

/// Has a register with a value of one type a value of the other? A pointer cut to an integer is none.
fn holds(value: &str, wanted: &str) -> bool {
    let width = |ty: &str| ty.strip_prefix('i')?.parse::<u32>().ok();
    match (width(value), width(wanted)) {
        _ if value == wanted => true,
        (Some(value), Some(wanted)) => value >= wanted && value <= 64,
        (Some(64), None) => wanted == "ptr",
        (None, Some(64)) => value == "ptr",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::works;

    #[test]
    fn what_machine_code_gets_on_with() {
        for (called, has) in [
            ("void (i32)", "i32 (i32)"),
            ("i32 (i64)", "i64 (i32)"),
            ("i32 (i32, ...)", "i32 (i32)"),
            ("i32 (i32, ptr)", "i32 (i32, ...)"),
            ("ptr (i64)", "i64 (ptr)"),
            ("void ({ i64, i32 }, double)", "void ({ i64, i32 })"),
            ("i32 (i32, ptr, ptr)", "i32 ()"),
            ("i32 (i32, ...)", "i32 (i32, i32)"),
            ("i64 (i64)", "{ i64, i64 } (i64)"),
        ] {
            assert!(works(called, has), "{has} called as {called}");
        }
        for (called, has) in [
            ("i32 (i32)", "void (i32)"),
            ("i64 (i32)", "i32 (i32)"),
            ("i32 (i32)", "i32 (i32, i32)"),
            ("i32 (i32)", "i32 (i64)"),
            ("i32 (ptr, ptr)", "i32 (i32, i32)"),
            ("i32 (double)", "i32 (i64)"),
            ("i32 (float)", "i32 (double)"),
            ("i32 ({ i64, i32 })", "i32 ({ i64, i64 })"),
        ] {
            assert!(!works(called, has), "{has} called as {called}");
        }
    }
}
