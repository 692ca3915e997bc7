//! An exception that leaves the entry point as an error of a run.

use jvm::Thrown;
use testcase::{ErrorKind, ErrorRecord, StackFrame};

/// What an exception is as an error of this kind. `path` gives the path of a source, by class and file name.
pub fn error(
    thrown: &Thrown,
    kind: ErrorKind,
    path: &mut dyn FnMut(&str, &str) -> String,
) -> ErrorRecord {
    let mut frame = |f: &jvm::Frame| StackFrame {
        function: f.function.clone(),
        file: if f.is_library {
            f.file.clone()
        } else {
            path(&f.function, &f.file)
        },
        line: f.line,
        library: f.is_library,
        ..StackFrame::default()
    };
    // A deep recursion is known by its innermost calls.
    const FRAMES: usize = 64;
    let own = thrown.stack.iter().position(|f| !f.is_library);
    let own = own.unwrap_or(thrown.stack.len());
    let inside = thrown.stack[..own]
        .iter()
        .take(FRAMES)
        .map(&mut frame)
        .collect();
    let stack: Vec<StackFrame> = thrown.stack[own..]
        .iter()
        .take(FRAMES)
        .map(&mut frame)
        .collect();
    let at = stack.first().cloned().unwrap_or_default();
    ErrorRecord {
        kind,
        message: words(thrown),
        file: at.file,
        line: at.line,
        function: at.function,
        stack,
        inside,
        ..ErrorRecord::default()
    }
}

/// The exception as the JVM shows it.
pub fn words(thrown: &Thrown) -> String {
    testcase::java::thrown(&thrown.class, &thrown.message)
}
