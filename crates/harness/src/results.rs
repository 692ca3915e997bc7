//! What a call brings about, which tests as C compare: what the function returns, and what is behind pointers to single numbers then.
//!
//! A test has to know what was predicted, and what it knows are inputs. So the driver asks for one more input behind the call, and
//! assumes that it has the bytes of the result: the values that make the test make the prediction. Where a test is C
//! itself, the same call compares.
//!
//! A pointer is compared to null. Structures are not compared, because of the bytes between their members, and neither are arrays.

use crate::declare::Declarations;
use crate::driver::DriverOptions;
use crate::types::{Description, FloatKind, Type, TypeId};

/// The input with the predicted result.
const RETURNED: &str = "returned value";
/// The input that says whether the pointer that is returned is another than null.
const NOT_NULL: &str = "returned pointer is not null";

/// Parts of names of functions behind whose call pointers may lead nowhere.
const ENDS: &[&str] = &[
    "free", "destroy", "delete", "release", "dispose", "realloc", "resize", "close",
];

/// The lines that call the function with these arguments. `outs` are parameters that lead to a number, or several.
pub(crate) fn call(
    d: &Description,
    options: &DriverOptions,
    declarations: &Declarations<'_>,
    arguments: &[String],
    outs: &[(String, TypeId)],
) -> Vec<String> {
    let call = format!("pp_entry({})", arguments.join(", "));
    if !options.results {
        return vec![format!("{call};")];
    }
    let mut lines = Vec::new();
    match (d.ty(d.entry.result), kind(d.ty(d.entry.result))) {
        (Type::Pointer(_), _) => {
            lines.push(format!("unsigned char pp_result = {call} != 0;"));
            lines.push(format!("pp_expect(&pp_result, 1, 'n', \"{NOT_NULL}\");"));
        }
        (_, Some(kind)) => {
            let result = declarations.declare(d.entry.result, "pp_result");
            lines.push(format!("{result} = {call};"));
            lines.push(format!(
                "pp_expect(&pp_result, sizeof pp_result, '{kind}', \"{RETURNED}\");"
            ));
        }
        (_, None) => lines.push(format!("{call};")),
    }
    let name = d.entry.name.to_lowercase();
    if ENDS.iter().any(|word| name.contains(word)) {
        return lines;
    }
    for (out, to) in outs {
        let is_byte = d.size(*to) == 1 && *d.ty(*to) != Type::Bool;
        if let Some(kind) = kind(d.ty(*to)).filter(|_| !is_byte) {
            lines.push(format!(
                "if ({out}) pp_expect({out}, sizeof *{out}, '{kind}', \"*{out} afterwards\");"
            ));
        }
    }
    lines
}

/// How values of a type are compared: `n` by their bytes, `f` as floats, of which all that are no number are the same.
fn kind(ty: &Type) -> Option<char> {
    match ty {
        Type::Bool | Type::Int { .. } | Type::Enum { .. } => Some('n'),
        Type::Float(FloatKind::Single | FloatKind::Double) => Some('f'),
        _ => None,
    }
}
