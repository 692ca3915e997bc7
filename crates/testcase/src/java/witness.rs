//! A violation witness in GraphML: the values that lead a program to an error, in the order in which it asks for them.
//!
//! The format is SV-COMP's for Java ("Exchange Format for Violation Witnesses", sosy-lab/sv-witnesses, version 1): a
//! chain of nodes from the entry to the violation, with an edge for each value, which has the place that asks for it
//! and the value.

use super::replay::{Asked, text};
use crate::model::ErrorRecord;
use crate::report::text::escape;
use std::fmt::Write as _;
use vocab::ErrorKind;

/// The program in a witness.
pub struct WitnessProgram<'a> {
    /// The source file in which the error is.
    pub file: &'a str,
    /// Its SHA-256 in hexadecimal digits; empty if there is no such file.
    pub hash: &'a str,
    /// The class whose method main is run.
    pub class: &'a str,
    /// When the witness is made, as RFC 3339 has it.
    pub time: &'a str,
}

/// The keys of the format: element, name, and default.
const KEYS: [(&str, &str, &str); 15] = [
    ("graph", "witness-type", ""),
    ("graph", "sourcecodelang", ""),
    ("graph", "producer", ""),
    ("graph", "specification", ""),
    ("graph", "programfile", ""),
    ("graph", "programhash", ""),
    ("graph", "architecture", ""),
    ("graph", "creationtime", ""),
    ("node", "entry", "false"),
    ("node", "violation", "false"),
    ("edge", "originfile", ""),
    ("edge", "startline", ""),
    ("edge", "threadId", "0"),
    ("edge", "assumption", ""),
    ("edge", "assumption.scope", ""),
];

/// The property that an error violates.
fn specification(class: &str, kind: ErrorKind) -> String {
    let never = match kind {
        ErrorKind::Assert => "assert",
        _ => "! uncaught(java.lang.RuntimeException)",
    };
    format!("CHECK( init({class}.main()), LTL(G {never}) )")
}

/// The witness of an error, which the program reaches with these values.
pub fn graphml(program: &WitnessProgram<'_>, error: &ErrorRecord, asked: &[Asked]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
    );
    for (of, name, default) in KEYS {
        let _ = write!(
            out,
            " <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"string\" for=\"{of}\""
        );
        out += &match default {
            "" => "/>\n".to_string(),
            default => format!("><default>{default}</default></key>\n"),
        };
    }
    out += " <graph edgedefault=\"directed\">\n";
    let specification = specification(program.class, error.kind);
    let producer = concat!("polypath ", env!("CARGO_PKG_VERSION"));
    for (key, value) in [
        ("witness-type", "violation_witness"),
        ("sourcecodelang", "Java"),
        ("producer", producer),
        ("specification", &specification),
        ("programfile", program.file),
        ("programhash", program.hash),
        ("architecture", "64bit"),
        ("creationtime", program.time),
    ] {
        data(&mut out, 2, key, value);
    }
    out += "  <node id=\"n0\">\n";
    data(&mut out, 3, "entry", "true");
    out += "  </node>\n";
    for (at, asked) in asked.iter().enumerate() {
        let _ = writeln!(out, "  <node id=\"n{}\"/>", at + 1);
        edge(&mut out, at, &at.to_string(), &asked.file, asked.line);
        data(
            &mut out,
            3,
            "assumption",
            &format!("value = {};", literal(asked)),
        );
        data(&mut out, 3, "assumption.scope", "java::value");
        out += "  </edge>\n";
    }
    out += "  <node id=\"n-violation\">\n";
    data(&mut out, 3, "violation", "true");
    out += "  </node>\n";
    edge(&mut out, asked.len(), "violation", &error.file, error.line);
    out += "  </edge>\n </graph>\n</graphml>\n";
    out
}

fn data(out: &mut String, depth: usize, key: &str, value: &str) {
    let value = escape(value);
    let _ = writeln!(out, "{:depth$}<data key=\"{key}\">{value}</data>", "");
}

/// Opens the edge from a node to the next one, which may have a name instead of a number.
fn edge(out: &mut String, from: usize, name: &str, file: &str, line: u32) {
    let to = match name {
        "violation" => "n-violation".to_string(),
        _ => format!("n{}", from + 1),
    };
    let _ = writeln!(
        out,
        "  <edge id=\"e{from}\" source=\"n{from}\" target=\"{to}\">"
    );
    data(
        out,
        3,
        "originfile",
        file.rsplit('/').next().unwrap_or(file),
    );
    data(out, 3, "startline", &line.to_string());
    data(out, 3, "threadId", "0");
}

/// A value as Java source has it, without suffixes: validators read numbers.
fn literal(asked: &Asked) -> String {
    match asked.kind.as_str() {
        "java.lang.String" => text(&asked.value),
        "char" => asked.value.chars().next().map_or(0, u32::from).to_string(),
        _ => asked.value.clone(),
    }
}
