//! Judges whether an error of a function under test (`--entry`) needs a call that its contract may forbid.
//!
//! A driver makes up arguments that it cannot know. An error that depends on a member of a made-up object, on the size of
//! one, or on a pointer that was chosen to be null, happens *if* they are so; whether a caller can bring that about, the
//! driver cannot tell.
//!
//! An error depends on what its path's conditions contain, by data or by control, except what the driver itself assumed
//! (lengths up to a bound, values of enumerations): these hold on every path. A wrong access to a made-up
//! object depends on the size that it was given, even if no condition says so.

use explore::{ObjectEnd, PathEnd, PathOutcome};
use harness::Invented;
use vocab::ErrorKind;

/// Conditions that are told; the others are counted.
const SHOWN: usize = 3;

/// What has to hold for the error, in words: "parser->state = 17, s is null". `None` if nothing that was made up
/// has to.
pub fn precondition(invented: &Invented, path: &PathEnd) -> Option<String> {
    let PathOutcome::Error(error) = &path.outcome else {
        return None;
    };
    let of_null = error.kind == ErrorKind::Null;
    let room = |object: &String| {
        let input = invented.inputs.iter().find(|i| i.is(object))?;
        input.room.clone()
    };
    let mut all: Vec<String> = error.object.iter().filter_map(room).collect();
    for o in path.objects.iter().filter(|o| !o.decisive.is_empty()) {
        match invented.inputs.iter().find(|i| i.is(&o.name)) {
            Some(input) => all.extend(input.conditions(&o.bytes, &o.decisive, of_null)),
            None => all.extend(chosen_null(o).filter(|_| of_null)),
        }
    }
    if of_null {
        all.extend(invented.nulls.iter().cloned());
    }
    // That a pointer is not null is worth saying only where nothing else is.
    if all.iter().any(|c| !is_weak(c)) {
        all.retain(|c| !is_weak(c));
    }
    let more = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    match more {
        0 => {}
        1 => all.push("1 more condition".into()),
        n => all.push(format!("{n} more conditions")),
    }
    (!all.is_empty()).then(|| all.join(", "))
}

fn is_weak(condition: &str) -> bool {
    condition.ends_with(" is not null") || condition.ends_with(" leads to an object of its own")
}

/// A parameter that an edited driver chose to be null: its choice is 1.
fn chosen_null(o: &ObjectEnd) -> Option<String> {
    let parameter = o.name.strip_suffix(".choice")?;
    (o.bytes.first() == Some(&1)).then(|| format!("{parameter} is null"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use explore::Error;
    use harness::made_up::{InputPart, MadeUp, PartValue};

    fn object(name: &str, bytes: &[u8], decisive: &[usize]) -> ObjectEnd {
        ObjectEnd {
            name: name.into(),
            kind: 'B',
            bytes: bytes.to_vec(),
            relevant: decisive.to_vec(),
            decisive: decisive.to_vec(),
        }
    }

    fn path(kind: ErrorKind, wrongly: Option<&str>, objects: Vec<ObjectEnd>) -> PathEnd {
        PathEnd {
            outcome: PathOutcome::Error(Error {
                kind,
                message: String::new(),
                object: wrongly.map(str::to_string),
            }),
            is_new: true,
            covered_new: false,
            is_ahead: false,
            start: 0,
            instructions: 0,
            stack: None,
            objects,
            input: None,
        }
    }

    /// `struct { int state; char *name; } *p`, of which nobody but the library knows the content.
    fn invented() -> Invented {
        let part = |path: &str, first, bits, value| InputPart {
            path: path.into(),
            first,
            bits,
            elements: None,
            value,
        };
        let name = PartValue::Pointer {
            null: true,
            earlier: Vec::new(),
        };
        Invented {
            inputs: vec![MadeUp {
                input: "p".into(),
                room: Some("p leads to a single object".into()),
                parts: vec![
                    part("p->state", 0, 32, PartValue::Number { signed: true }),
                    part("p->name", 64, 64, name),
                ],
                is_content: true,
            }],
            nulls: Vec::new(),
        }
    }

    #[test]
    fn what_a_made_up_member_decides_is_marked_with_its_value() {
        let p = object("p", &[17, 0, 0, 0, 0, 0, 0, 0, 5], &[0, 8]);
        let given = invented();
        let says = |kind, wrongly, objects| precondition(&given, &path(kind, wrongly, objects));
        let state = says(ErrorKind::Abort, None, vec![p.clone()]);
        assert_eq!(state.as_deref(), Some("p->state = 17"));
        // The size of the object is made up, too.
        let beside = says(ErrorKind::OutOfBounds, Some("p"), Vec::new());
        assert_eq!(beside.as_deref(), Some("p leads to a single object"));
        // Parameters that are numbers and strings are the caller's.
        let n = object("n", &[3], &[0]);
        assert_eq!(says(ErrorKind::Abort, None, vec![n]), None);
        let s = object("s", b"abc", &[0, 1]);
        assert_eq!(says(ErrorKind::OutOfBounds, Some("s"), vec![s]), None);
    }

    #[test]
    fn null_is_marked_where_null_is_the_error() {
        let choice = object("q.choice", &[1], &[0]);
        let given = invented();
        let says = |kind| precondition(&given, &path(kind, None, vec![choice.clone()]));
        assert_eq!(says(ErrorKind::Null).as_deref(), Some("q is null"));
        assert_eq!(says(ErrorKind::Abort), None);
    }
}
