//! What an error of a C function depends on: members of made-up objects, their sizes, and pointers that were chosen to be null.
//!
//! An error depends on what its path's conditions contain, by data or by control, except what the driver itself assumed
//! (lengths up to a bound, values of enumerations): these hold on every path. A wrong access to a made-up
//! object depends on the size that it was given, even if no condition says so.
//!
//! Three things follow from the code. An assertion with which the function begins is what it asks of its callers. Whoever has
//! found that no byte of an array is zero when it reads past its end may have looked for one: then the array had to be a text that
//! ends with a zero, whatever length stands beside it. And whoever reads the first byte of an array before it looks at the length beside
//! it may take an array that has one, or a text, for granted.
//!
//! What the library says of its arguments in words (`harness::said`) is quoted: that a pointer must not be null, and that an array has
//! to have more room than its length, where an access begins right behind it.

use super::{Doubt, told};
use explore::{AccessedObject, ObjectEnd, PathEnd, PathOutcome};
use harness::Invented;
use harness::made_up::{Conditions, MadeUp};
use harness::said::Demand;
use testcase::StackFrame;
use vocab::ErrorKind;

/// Judges an error. `None` if nothing that was made up has to hold.
pub fn doubt(invented: &Invented, path: &PathEnd, stack: &[StackFrame]) -> Option<Doubt> {
    let PathOutcome::Error(error) = &path.outcome else {
        return None;
    };
    let of_null = matches!(error.kind, ErrorKind::Null | ErrorKind::Assert);
    let room = |object: &AccessedObject| {
        let is_it = |i: &&MadeUp| i.is(&object.name) && (object.write || !i.is_input);
        let input = invented.inputs.iter().find(is_it)?;
        let made = path.objects.iter().find(|o| o.name == object.name);
        let bytes = made.map_or(0, |o| o.bytes.len() as u64);
        Some(input.room.as_ref()?.told(bytes))
    };
    let rooms: Vec<String> = error.object.iter().filter_map(room).collect();
    let accessed = error.object.as_ref().map(|o| o.name.clone());
    let mut made_up = accessed.filter(|_| !rooms.is_empty());
    let mut all = Conditions {
        strong: rooms,
        ..Conditions::default()
    };
    let mut objects = Vec::new();
    for o in path.objects.iter().filter(|o| !o.decisive.is_empty()) {
        match invented.inputs.iter().find(|i| i.is(&o.name)) {
            Some(input) => {
                objects.extend(input.is_content.then(|| o.name.clone()));
                all.extend(input.conditions(&o.bytes, &o.decisive, of_null));
            }
            None => {
                all.add_nulls(chosen_null(o).filter(|_| of_null));
                let is_asserted = error.kind == ErrorKind::Assert;
                all.add_nulls(left_null(o).filter(|_| is_asserted));
            }
        }
    }
    if error.kind == ErrorKind::Null {
        all.add_nulls(invented.nulls.iter().cloned());
    }
    if error.kind == ErrorKind::Assert {
        all.drop_nulls(&|null| !is_about(&error.message, null));
    }
    let guessed = error
        .object
        .as_ref()
        .and_then(|o| guessed_size(invented, o));
    if let Some(call) = call_before(invented, stack) {
        all.strong = vec![may_be_called(call)];
        made_up = all.strong.first().cloned();
    } else if let (Some(guessed), true) = (guessed, all.strong.is_empty()) {
        all.strong = vec![guessed];
        made_up = all.strong.first().cloned();
    } else if error.is_precondition && all.strong.is_empty() && is_of(&invented.entry, stack) {
        all.strong = vec![may_be_called(&invented.entry)];
    } else if let ([_], [null], true) = (&all.strong[..], &all.nulls[..], of_null) {
        made_up = Some(null.clone());
    } else if let (None, Some(parameter)) = (&made_up, &all.by_hand) {
        made_up = Some(format!("the members of {parameter}"));
    }
    let conditions = all.told().into_iter();
    let told = told(
        conditions.map(|c| with_words(invented, c)).collect(),
        made_up,
    );
    told.map(|doubt| Doubt { objects, ..doubt })
}

/// A condition, with the sentence in which the library says that callers see to it.
fn with_words(invented: &Invented, condition: String) -> String {
    let parameter = condition.strip_suffix(" is null");
    let said = parameter.and_then(|p| invented.said.sentence(p, Demand::NotNull));
    match said {
        Some(quote) => format!("{condition} ({quote})"),
        None => condition,
    }
}

/// What has to hold of an array whose size the driver took from a name, if its path does not show that this is its size, or the
/// library says that it is greater.
fn guessed_size(invented: &Invented, object: &AccessedObject) -> Option<String> {
    let AccessedObject { name, .. } = object;
    let is_told = invented.said.lengths.iter().any(|l| l.array == *name);
    if object.has_no_zero {
        return Some(format!("{name} has no zero byte at its end"));
    }
    if object.is_unasked && !is_told {
        return Some(format!(
            "{name} has no bytes, before its length is looked at"
        ));
    }
    let quote = invented.said.sentence(name, Demand::MoreRoom)?;
    let is_one_more = object.is_at_end;
    is_one_more.then(|| format!("{name} has no more room than its length ({quote})"))
}

fn may_be_called(function: &str) -> String {
    format!("{function} may be called so")
}

/// Is an error in this function itself?
fn is_of(function: &str, stack: &[StackFrame]) -> bool {
    stack
        .first()
        .is_some_and(|frame| frame.function == function)
}

/// Does an assertion mention a pointer, of which it is said that it is null?
fn is_about(assertion: &str, null: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let pointer = null.strip_suffix(" is null").unwrap_or(null);
    let mut names = pointer
        .split(|c| !is_part(c))
        .filter(|name| !name.is_empty());
    names.all(|name| assertion.split(|c| !is_part(c)).any(|word| word == name))
}

/// The function in a call of which the error is, if the function under test was not called yet: its contract is another one.
fn call_before<'a>(invented: &'a Invented, stack: &[StackFrame]) -> Option<&'a String> {
    let is_in = |name: &String| stack.iter().any(|frame| frame.function == *name);
    let before = invented.before.iter().find(|name| is_in(name));
    before.filter(|_| !is_in(&invented.entry))
}

/// A parameter that an edited driver chose to be null: its choice is 1.
fn chosen_null(o: &ObjectEnd) -> Option<String> {
    let parameter = o.name.strip_suffix(".choice")?;
    (o.bytes.first() == Some(&1)).then(|| format!("{parameter} is null"))
}

/// A function that is called back and that the driver did not set, as users may; an assertion about it says that they may not.
fn left_null(o: &ObjectEnd) -> Option<String> {
    let member = o.name.strip_suffix(".unset")?;
    (o.bytes.first() == Some(&1)).then(|| format!("{member} is null"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use explore::Error;
    use harness::made_up::{InputPart, PartValue, Room};

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
        let error = Error {
            kind,
            message: String::new(),
            object: wrongly.map(|name| AccessedObject {
                name: name.into(),
                write: true,
                has_no_zero: false,
                is_at_end: false,
                is_unasked: false,
            }),
            is_precondition: false,
        };
        super::super::path(PathOutcome::Error(error), objects)
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
                room: Some(Room::Elements {
                    path: "p".into(),
                    size: 16,
                }),
                is_input: false,
                parts: vec![
                    part("p->state", 0, 32, PartValue::Number { signed: true }),
                    part("p->name", 64, 64, name),
                ],
                is_content: true,
            }],
            before: vec!["p_init".into(), "p_step".into()],
            entry: "p_step".into(),
            ..Invented::default()
        }
    }

    #[test]
    fn what_happens_in_a_call_before_is_not_the_functions() {
        let says = |functions: &[&str]| {
            let stack: Vec<StackFrame> = functions.iter().map(|f| frame(f)).collect();
            let path = path(ErrorKind::Abort, None, Vec::new());
            doubt(&invented(), &path, &stack).map(|d| d.precondition)
        };
        let init = says(&["check", "p_init", "main"]);
        assert_eq!(init.as_deref(), Some("p_init may be called so"));
        assert_eq!(says(&["check", "p_step", "main"]), None);
    }

    #[test]
    fn what_a_made_up_member_decides_is_marked_with_its_value() {
        let p = object("p", &[17, 0, 0, 0, 0, 0, 0, 0, 5], &[0, 8]);
        let given = invented();
        let of = |kind, wrongly, objects| doubt(&given, &path(kind, wrongly, objects), &[]);
        let says = |kind, wrongly, objects| of(kind, wrongly, objects).map(|d| d.precondition);
        let state = says(ErrorKind::Abort, None, vec![p.clone()]);
        assert_eq!(state.as_deref(), Some("p->state = 17"));
        let by_hand = of(ErrorKind::Abort, None, vec![p.clone()]).and_then(|d| d.made_up);
        assert_eq!(by_hand.as_deref(), Some("the members of p"));
        // The size of the object is made up, too.
        let beside = says(ErrorKind::OutOfBounds, Some("p"), Vec::new());
        assert_eq!(beside.as_deref(), Some("p leads to a single object"));
        // Parameters that are numbers and strings are the caller's.
        let n = object("n", &[3], &[0]);
        assert_eq!(says(ErrorKind::Abort, None, vec![n]), None);
        let s = object("s", b"abc", &[0, 1]);
        assert_eq!(says(ErrorKind::OutOfBounds, Some("s"), vec![s]), None);
    }

    fn frame(function: &str) -> StackFrame {
        StackFrame {
            function: function.into(),
            file: String::new(),
            line: 0,
            column: 0,
            library: false,
            times: 1,
        }
    }

    #[test]
    fn an_assertion_at_the_beginning_is_asked_of_the_callers() {
        let says = |is_precondition, functions: &[&str]| {
            let mut path = path(ErrorKind::Assert, None, Vec::new());
            if let PathOutcome::Error(error) = &mut path.outcome {
                error.is_precondition = is_precondition;
            }
            let stack: Vec<StackFrame> = functions.iter().map(|f| frame(f)).collect();
            doubt(&invented(), &path, &stack).map(|d| d.precondition)
        };
        let asked = says(true, &["p_step", "main"]);
        assert_eq!(asked.as_deref(), Some("p_step may be called so"));
        assert_eq!(says(false, &["p_step", "main"]), None);
        // Of a function that the tested one calls: that one has to see to it.
        assert_eq!(says(true, &["check", "p_step", "main"]), None);
    }

    #[test]
    fn an_array_may_have_had_to_be_a_text_or_not_to_be_empty() {
        let says = |has_no_zero, is_unasked| {
            let mut path = path(ErrorKind::OutOfBounds, Some("s"), Vec::new());
            if let PathOutcome::Error(Error {
                object: Some(object),
                ..
            }) = &mut path.outcome
            {
                object.write = false;
                (object.has_no_zero, object.is_unasked) = (has_no_zero, is_unasked);
            }
            doubt(&invented(), &path, &[]).map(|d| d.precondition)
        };
        let text = "s has no zero byte at its end";
        assert_eq!(says(true, false).as_deref(), Some(text));
        let none = "s has no bytes, before its length is looked at";
        assert_eq!(says(false, true).as_deref(), Some(none));
        assert_eq!(says(false, false), None);
    }

    #[test]
    fn null_is_marked_where_null_is_the_error() {
        assert!(is_about(
            "assertion failed: emitter && n",
            "emitter is null"
        ));
        assert!(!is_about("assertion failed: emitters", "emitter is null"));
        let choice = object("q.choice", &[1], &[0]);
        let given = invented();
        let of = |kind| doubt(&given, &path(kind, None, vec![choice.clone()]), &[]);
        let says = |kind| of(kind).map(|d| d.precondition);
        assert_eq!(says(ErrorKind::Null).as_deref(), Some("q is null"));
        let is_about = of(ErrorKind::Null).and_then(|d| d.made_up);
        assert_eq!(is_about.as_deref(), Some("q is null"));
        assert_eq!(says(ErrorKind::Abort), None);
    }

    #[test]
    fn an_assertion_about_a_callback_asks_users_to_set_it() {
        let says = |kind, message: &str| {
            let unset = object("p->on_read.unset", &[1], &[0]);
            let mut path = path(kind, None, vec![unset]);
            if let PathOutcome::Error(error) = &mut path.outcome {
                error.message = message.into();
            }
            doubt(&invented(), &path, &[]).map(|d| d.precondition)
        };
        let asked = says(ErrorKind::Assert, "assertion failed: p->on_read");
        assert_eq!(asked.as_deref(), Some("p->on_read is null"));
        assert_eq!(says(ErrorKind::Assert, "assertion failed: n > 0"), None);
        // Whoever calls it without a look may have to look.
        assert_eq!(says(ErrorKind::Null, "read at null pointer"), None);
    }
}
