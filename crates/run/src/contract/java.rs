//! What an error of a Java method depends on.
//!
//! Objects come from the public interface, if that has a way to make them. Where it has none the driver takes what is not
//! public, and makes a choice for each such object (`Inputs.java`): every error of a run with one depends on it. So it does on a stub of
//! an interface or abstract class of the program whose methods were called (`Stubs.java`), since they return anything.
//!
//! A null pointer may follow from an argument that the driver chose to be null; whether null is allowed there, it cannot
//! know. The same holds for an index out of bounds where numbers stand behind an array, a string or a collection and are no
//! part of it: `update(byte[] data, int offset, int length)`; and where the index is an argument itself (`get(int index)`). It holds for
//! memory that there is not, if an argument is as large, and for a class cast, if a collection holds what its type does not say (`List`).
//!
//! What a method of the library asks of a value (that a text is a number), the method under test asks of its caller, if it hands the value on as it
//! was given; so does a method with an array into which it only writes. The driver knows such input (`Unfit.java`).

use super::{Doubt, told};
use explore::{ObjectEnd, PathEnd, PathOutcome};
use jvm::{HIDDEN, RAW, STUB};
use vocab::ErrorKind;

/// A number that can ask for much memory, at least.
const MUCH: i64 = 1 << 20;

/// Judges an error. `None` if it depends on nothing that was made up.
pub fn doubt(path: &PathEnd) -> Option<Doubt> {
    let mut all: Vec<String> = path.objects.iter().filter_map(made_up).collect();
    all.extend(unfit(path));
    match path.outcome.error() {
        Some(ErrorKind::Null) => all.extend(path.objects.iter().filter_map(null)),
        Some(kind @ (ErrorKind::OutOfBounds | ErrorKind::NegativeSize)) => {
            let objects = || path.objects.iter();
            all.extend(objects().filter_map(|o| no_part(o, path)));
            let what = if kind == ErrorKind::NegativeSize {
                "size"
            } else {
                "index"
            };
            if all.is_empty() {
                let numbers = numbers_of(&path.outcome);
                all.extend(objects().filter_map(|o| no_index(o, path, &numbers, what)));
            }
        }
        Some(ErrorKind::ClassCast) => all.extend(path.objects.iter().filter_map(raw)),
        Some(ErrorKind::OutOfMemory) => {
            all.extend(path.objects.iter().filter_map(|o| too_much(o, path)));
        }
        _ => {}
    }
    // What follows from one argument alone is one question to the reader, wherever it shows.
    let made_up = match &all[..] {
        [one] if one.ends_with(" is null") => Some(one.clone()),
        _ => None,
    };
    told(all, made_up)
}

/// What a choice says that the driver makes for an object that no caller can make, or for a stub.
fn made_up(o: &ObjectEnd) -> Option<String> {
    let hidden = o.name.strip_suffix(HIDDEN).and_then(|n| n.rsplit_once('.'));
    let stub = o.name.strip_suffix(STUB).and_then(|n| n.rsplit_once('.'));
    let hidden =
        hidden.map(|(object, class)| format!("{object} is a {class} that no public method makes"));
    hidden.or_else(|| stub.map(|(object, class)| format!("{object} is a stub of {class}")))
}

/// What a choice says that the driver makes for a collection of which it does not know what it holds.
fn raw(o: &ObjectEnd) -> Option<String> {
    let name = o.name.strip_suffix(RAW)?;
    Some(format!(
        "{name} holds a String, or what else its type does not forbid"
    ))
}

/// "X is null", of a choice that says so and has decided the run.
fn null(o: &ObjectEnd) -> Option<String> {
    let name = o.name.strip_suffix(".null")?;
    (!o.relevant.is_empty() && value(o)? != 0).then(|| format!("{name} is null"))
}

/// Whether the numbers behind this array, string or collection, as far as they have decided the run, are no part of it: an index, or an
/// offset and a length.
fn no_part(o: &ObjectEnd, path: &PathEnd) -> Option<String> {
    let (name, from) = jvm::length_of(&o.name)?;
    let length = value(o)? + i64::from(from);
    let place = |call: &Vec<String>| Some((call.clone(), call.iter().position(|n| n == name)?));
    let (call, place) = calls(path).iter().find_map(place)?;
    let number = |by: usize| {
        let name = call.get(place + by)?;
        let is_it = |o: &&ObjectEnd| o.name == *name && matches!(o.kind, 'I' | 'J');
        path.objects.iter().find(is_it)
    };
    let first = number(1)?;
    let behind = [Some(first), number(2)].into_iter().flatten();
    let decisive = behind.filter(|o| !o.relevant.is_empty());
    let mut reach: i64 = 0;
    let (mut is_part, mut given) = (true, Vec::new());
    for o in decisive {
        let n = value(o)?;
        reach = reach.saturating_add(n);
        is_part &= n >= 0 && reach <= length;
        given.push(format!("{} = {n}", o.name));
    }
    let given = given.join(", ");
    (!is_part).then(|| format!("{given} is no part of {name}, which has {length}"))
}

/// The input that an exception is about, as the driver says, if it has decided the run.
fn unfit(path: &PathEnd) -> Option<String> {
    let PathOutcome::Thrown(thrown) = &path.outcome else {
        return None;
    };
    let unfit = thrown.unfit.as_ref()?;
    let is_it = |name: &&String| {
        let is_of = |o: &ObjectEnd| {
            o.name == **name || jvm::length_of(&o.name).is_some_and(|l| l.0 == *name)
        };
        let of_it = path.objects.iter().filter(|o| is_of(o));
        unfit.is_certain || of_it.into_iter().any(|o| !o.relevant.is_empty())
    };
    let name = unfit.objects.iter().find(is_it)?;
    Some(format!("{name} {}", unfit.why))
}

/// The numbers of which an exception says that they are out of bounds, or that a size is negative: "Index 7 out of bounds for length 3", "Index:
/// 7, Size: 3", "String index out of range: 7", "begin 9, end 13, length 3", "-1".
fn numbers_of(outcome: &PathOutcome) -> Vec<i64> {
    let PathOutcome::Thrown(thrown) = outcome else {
        return Vec::new();
    };
    let message = &thrown.message[..];
    if let Ok(size) = message.parse() {
        return vec![size];
    }
    let after = |word: &str| {
        let (_, behind) = message.split_once(word)?;
        let is_number = |c: char| c.is_ascii_digit() || c == '-';
        let number = &behind[behind.find(is_number)?..];
        let end = number.find(|c| !is_number(c)).unwrap_or(number.len());
        number[..end].parse().ok()
    };
    let words = ["ndex", "begin ", "end "].into_iter();
    words.filter_map(after).collect()
}

/// An argument of the entry point that is one number and has decided the run, with its value.
fn argument(o: &ObjectEnd, path: &PathEnd) -> Option<i64> {
    let is_argument = calls(path).first()?.contains(&o.name) && matches!(o.kind, 'I' | 'J');
    (is_argument && !o.relevant.is_empty()).then(|| value(o))?
}

/// The calls that the driver made, the entry point's first.
fn calls(path: &PathEnd) -> &[Vec<String>] {
    match &path.outcome {
        PathOutcome::Thrown(thrown) => &thrown.calls,
        _ => &[],
    }
}

/// Whether one of these numbers, which is no index or no size (`what`), was an argument of the entry point.
fn no_index(o: &ObjectEnd, path: &PathEnd, numbers: &[i64], what: &str) -> Option<String> {
    let n = argument(o, path)?;
    let is_it = numbers.contains(&n);
    is_it.then(|| format!("{} = {n} is no {what}", o.name))
}

/// Whether it is an argument of the entry point that is large: of all input only such numbers can ask for much memory at once.
fn too_much(o: &ObjectEnd, path: &PathEnd) -> Option<String> {
    let n = argument(o, path)?;
    (n >= MUCH).then(|| format!("{} = {n} asks for more memory than there is", o.name))
}

/// The value of an object of one value.
fn value(o: &ObjectEnd) -> Option<i64> {
    let byte = |i: usize| o.bytes.get(i).copied().unwrap_or(0);
    let bytes = |n: usize| (0..n).fold(0u64, |all, i| all | u64::from(byte(i)) << (8 * i));
    Some(match o.kind {
        'Z' | 'B' => i64::from(byte(0).cast_signed()),
        'C' => bytes(2).cast_signed(),
        'S' => i64::from((bytes(2) as u16).cast_signed()),
        'I' => i64::from((bytes(4) as u32).cast_signed()),
        'J' => bytes(8).cast_signed(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use explore::Thrown;

    fn object(name: &str, kind: char, value: i32, decides: bool) -> ObjectEnd {
        ObjectEnd {
            name: name.into(),
            kind,
            bytes: value.to_le_bytes().to_vec(),
            relevant: if decides { vec![0] } else { Vec::new() },
            decisive: Vec::new(),
        }
    }

    /// A path of a method with these parameters.
    fn of_call(kind: ErrorKind, parameters: &[&str], objects: Vec<ObjectEnd>) -> PathEnd {
        let thrown = Thrown {
            error: Some(kind),
            calls: vec![parameters.iter().map(|name| (*name).into()).collect()],
            ..Thrown::default()
        };
        super::super::path(PathOutcome::Thrown(thrown), objects)
    }

    fn says(kind: ErrorKind, objects: Vec<ObjectEnd>) -> Option<String> {
        doubt(&of_call(kind, &["arg0", "arg1", "arg2"], objects)).map(|d| d.precondition)
    }

    #[test]
    fn an_object_that_nobody_can_make_is_named() {
        let made = |name| says(ErrorKind::ClassCast, vec![object(name, 'C', 0, true)]);
        let wanted = "arg0.of is a Token that no public method makes";
        assert_eq!(made("arg0.of.Token.hidden").as_deref(), Some(wanted));
        let wanted = "arg0.of is a stub of Source";
        assert_eq!(made("arg0.of.Source.stub").as_deref(), Some(wanted));
        assert_eq!(made("arg0.constructor"), None);
    }

    #[test]
    fn a_collection_of_anything_may_hold_something_else() {
        let of = |kind, name| says(kind, vec![object(name, 'C', 0, false)]);
        let wanted = "arg0 holds a String, or what else its type does not forbid";
        assert_eq!(
            of(ErrorKind::ClassCast, "arg0.raw").as_deref(),
            Some(wanted)
        );
        assert_eq!(of(ErrorKind::Exception, "arg0.raw"), None);
        assert_eq!(of(ErrorKind::ClassCast, "arg0.size"), None);
    }

    #[test]
    fn null_is_marked_where_null_is_the_error() {
        let of =
            |kind, value, decides| says(kind, vec![object("this.0.null", 'C', value, decides)]);
        let wanted = Some("this.0 is null");
        assert_eq!(of(ErrorKind::Null, 1, true).as_deref(), wanted);
        assert_eq!(of(ErrorKind::Null, 0, true), None);
        assert_eq!(of(ErrorKind::Null, 1, false), None);
        assert_eq!(of(ErrorKind::ClassCast, 1, true), None);
    }

    #[test]
    fn an_index_that_is_an_argument_is_the_callers() {
        let thrown = |message: &str| {
            numbers_of(&PathOutcome::Thrown(Thrown {
                message: message.into(),
                ..Thrown::default()
            }))
        };
        let texts = [
            "Index 7 out of bounds for length 3",
            "Index: 7, Size: 3",
            "String index out of range: 7",
            "7",
        ];
        assert!(texts.iter().all(|text| thrown(text) == [7]));
        assert_eq!(thrown("Index -1 out of bounds for length 3"), [-1]);
        assert_eq!(thrown("begin 9, end 13, length 3"), [9, 13]);
        assert_eq!((thrown("x"), thrown("index")), (vec![], vec![]));
        let of = |name, numbers: &[i64], decides| {
            let path = of_call(ErrorKind::OutOfBounds, &["at", "count"], Vec::new());
            no_index(&object(name, 'I', 7, decides), &path, numbers, "index")
        };
        let wanted = Some("at = 7 is no index".to_string());
        assert_eq!(of("at", &[9, 7], true), wanted);
        assert_eq!(of("at", &[8], true), None);
        assert_eq!(of("at", &[7], false), None);
        assert_eq!(of("at.0", &[7], true), None);
        let size = |value| {
            let objects = vec![object("arg1", 'I', value, true)];
            says(ErrorKind::OutOfMemory, objects)
        };
        let wanted = "arg1 = 2097152 asks for more memory than there is";
        assert_eq!(size(2 << 20).as_deref(), Some(wanted));
        assert_eq!(size(7), None);
    }

    #[test]
    fn input_that_the_library_refuses_is_the_callers() {
        let of = |decides, is_certain| {
            let thrown = Thrown {
                error: Some(ErrorKind::Exception),
                unfit: Some(explore::UnfitInput {
                    why: "is no number".into(),
                    objects: vec!["arg0".into(), "arg1".into()],
                    is_certain,
                }),
                ..Thrown::default()
            };
            let objects = vec![
                object("arg0", 'C', 0, false),
                object("arg1.length", 'C', 0, decides),
            ];
            let path = super::super::path(PathOutcome::Thrown(thrown), objects);
            doubt(&path).map(|d| d.precondition)
        };
        assert_eq!(of(true, false).as_deref(), Some("arg1 is no number"));
        assert_eq!(of(false, false), None);
        assert_eq!(of(false, true).as_deref(), Some("arg0 is no number"));
    }

    #[test]
    fn numbers_behind_an_array_are_a_part_of_it() {
        let of = |length, offset, count, decides| {
            let objects = vec![
                object("arg0.length", 'C', length, true),
                object("arg1", 'I', offset, true),
                object("arg2", 'I', count, decides),
            ];
            says(ErrorKind::OutOfBounds, objects)
        };
        let wanted = "arg1 = 1, arg2 = 4 is no part of arg0, which has 4";
        assert_eq!(of(4, 1, 4, true).as_deref(), Some(wanted));
        assert_eq!(of(4, 1, 3, true), None);
        let wanted = "arg1 = -1 is no part of arg0, which has 4";
        assert_eq!(of(4, -1, 9, false).as_deref(), Some(wanted));
        assert_eq!(of(4, 1, 9, false), None);
        // Of a length that is 5 at least.
        let long = |name| {
            says(
                ErrorKind::OutOfBounds,
                vec![object(name, 'C', 1, true), object("arg1", 'I', 7, true)],
            )
        };
        let wanted = "arg1 = 7 is no part of arg0, which has 6";
        assert_eq!(long("arg0.length+5").as_deref(), Some(wanted));
        assert_eq!(long("arg0.length+6"), None);
        // Names are those of the source, if it is known.
        let named = vec![
            object("data.length", 'C', 4, true),
            object("offset", 'I', 1, true),
            object("count", 'I', 4, true),
        ];
        let parameters = ["data", "offset", "count"];
        let told = doubt(&of_call(ErrorKind::OutOfBounds, &parameters, named));
        let wanted = "offset = 1, count = 4 is no part of data, which has 4";
        assert_eq!(told.map(|d| d.precondition).as_deref(), Some(wanted));
        // A number that does not stand behind it.
        let apart = vec![
            object("arg0.length", 'C', 0, true),
            object("arg2", 'I', 9, true),
        ];
        assert_eq!(says(ErrorKind::OutOfBounds, apart), None);
    }
}
