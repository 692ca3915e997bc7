//! Which kind of error an exception is that leaves the entry point.

use jvm::Thrown;
use testcase::{ErrorKind, ErrorRecord, StackFrame};

/// By the exception's class or one above it; the first that fits.
const KINDS: &[(&str, ErrorKind)] = &[
    ("java.lang.AssertionError", ErrorKind::Assert),
    ("java.lang.ArithmeticException", ErrorKind::DivZero),
    (
        "java.lang.IndexOutOfBoundsException",
        ErrorKind::OutOfBounds,
    ),
    ("java.lang.NullPointerException", ErrorKind::Null),
    ("java.lang.ClassCastException", ErrorKind::ClassCast),
    (
        "java.lang.NegativeArraySizeException",
        ErrorKind::NegativeSize,
    ),
    ("java.lang.ArrayStoreException", ErrorKind::ArrayStore),
    ("java.lang.StackOverflowError", ErrorKind::StackOverflow),
    ("java.lang.OutOfMemoryError", ErrorKind::OutOfMemory),
];

/// The error that this exception is; `None` for one that the program throws on purpose. An assertion that fails is an
/// error although the program throws it.
pub fn error(thrown: &Thrown) -> Option<ErrorRecord> {
    let fits = |name: &str| thrown.classes.iter().any(|c| c == name);
    let kind = KINDS.iter().find(|(name, _)| fits(name)).map(|k| k.1);
    let kind = kind.unwrap_or(ErrorKind::Exception);
    if thrown.is_deliberate && kind != ErrorKind::Assert {
        return None;
    }
    let frame = |f: &jvm::Frame| StackFrame {
        function: f.function.clone(),
        file: f.file.clone(),
        line: f.line,
        library: f.is_library,
        ..StackFrame::default()
    };
    // A deep recursion is known by its innermost calls.
    const FRAMES: usize = 64;
    let own = thrown.stack.iter().position(|f| !f.is_library);
    let own = own.unwrap_or(thrown.stack.len());
    let inside = thrown.stack[..own].iter().take(FRAMES).map(frame).collect();
    let stack: Vec<StackFrame> = thrown.stack[own..].iter().take(FRAMES).map(frame).collect();
    let at = stack.first().cloned().unwrap_or_default();
    Some(ErrorRecord {
        kind,
        message: words(thrown),
        file: at.file,
        line: at.line,
        function: at.function,
        stack,
        inside,
        ..ErrorRecord::default()
    })
}

/// The exception as the JVM shows it.
pub fn words(thrown: &Thrown) -> String {
    if thrown.message.is_empty() {
        thrown.class.clone()
    } else {
        // It may quote the input.
        let message: String = thrown
            .message
            .chars()
            .flat_map(|c| {
                let escaped = c.is_control().then(|| c.escape_default());
                let plain = escaped.is_none().then_some(c);
                escaped.into_iter().flatten().chain(plain)
            })
            .collect();
        format!("{}: {message}", thrown.class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(class: &str, above: &str, is_deliberate: bool) -> Option<ErrorKind> {
        let thrown = Thrown {
            class: class.into(),
            classes: vec![class.into(), above.into()],
            is_deliberate,
            ..Thrown::default()
        };
        error(&thrown).map(|e| e.kind)
    }

    #[test]
    fn what_the_program_throws_itself_is_an_error_only_as_an_assertion() {
        let bounds = "java.lang.IndexOutOfBoundsException";
        let array = "java.lang.ArrayIndexOutOfBoundsException";
        assert_eq!(of(array, bounds, false), Some(ErrorKind::OutOfBounds));
        assert_eq!(of(array, bounds, true), None);
        let assertion = "java.lang.AssertionError";
        assert_eq!(
            of(assertion, "java.lang.Error", true),
            Some(ErrorKind::Assert)
        );
        assert_eq!(
            of("a.B", "java.lang.Exception", false),
            Some(ErrorKind::Exception)
        );
    }
}
