//! Judges whether an error of a function under test (`--entry`) needs a call that its contract may forbid.
//!
//! A driver invents arguments that it cannot know. An error that depends on an invented object, on bytes that only the
//! library writes or on a pointer that was chosen to be null, may only show that the function must not be called in
//! this way.

use explore::ObjectEnd;
use testcase::ErrorKind;

/// The precondition that would exclude the error, as a message; `None` if the error depends on nothing that was
/// invented.
pub fn precondition(
    invented: &[(String, String)],
    kind: ErrorKind,
    objects: &[ObjectEnd],
) -> Option<String> {
    let decided = |name: &dyn Fn(&str) -> bool| {
        objects
            .iter()
            .any(|o| !o.relevant.is_empty() && name(&o.name))
    };
    let within = |path: &str, name: &str| match name.strip_prefix(path) {
        Some(rest) => {
            rest.is_empty()
                || rest.starts_with("->")
                || rest.starts_with('[')
                || rest.starts_with("()")
        }
        None => false,
    };
    let fiction = invented
        .iter()
        .find(|(path, _)| decided(&|name| within(path, name)));
    if let Some((_, why)) = fiction {
        return Some(why.clone());
    }
    if kind != ErrorKind::Null {
        return None;
    }
    // A parameter that the driver chose to be null: its choice is 1.
    let chosen = objects.iter().find(|o| {
        o.name.ends_with(".choice") && !o.relevant.is_empty() && o.bytes.first() == Some(&1)
    });
    chosen.map(|o| format!("{} is null", o.name.trim_end_matches(".choice")))
}
