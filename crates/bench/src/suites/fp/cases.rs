//! The conditions: each as a C program and, where it needs no libm, as an SMT-LIB script (`benches/fp/conditions`).

/// A condition.
#[derive(Clone, Copy)]
pub struct Condition {
    pub name: &'static str,
    pub program: &'static str,
    pub script: Option<&'static str>,
    pub is_satisfiable: bool,
    /// CPU seconds that a process may take.
    pub goal: f64,
}

/// What the programs include.
pub const HEADER: (&str, &str) = (
    "condition.h",
    include_str!("../../../../../benches/fp/conditions/condition.h"),
);

/// CPU seconds for a satisfiable one and for one that is not.
const QUICK: f64 = 0.1;
const PROOF: f64 = 2.0;

macro_rules! text {
    ($name:literal, $extension:literal) => {
        include_str!(concat!(
            "../../../../../benches/fp/conditions/",
            $name,
            $extension
        ))
    };
}

macro_rules! condition {
    ($name:literal, $satisfiable:expr, $goal:expr) => {
        Condition { script: Some(text!($name, ".smt2")), ..condition!($name, $satisfiable, $goal, run only) }
    };
    ($name:literal, $satisfiable:expr, $goal:expr, run only) => {
        Condition {
            name: $name,
            program: text!($name, ".c"),
            script: None,
            is_satisfiable: $satisfiable,
            goal: $goal,
        }
    };
}

/// All of them.
pub const CONDITIONS: &[Condition] = &[
    condition!("cube", true, 0.02),
    condition!("hypotenuse", true, QUICK),
    condition!("truncation", true, QUICK),
    condition!("absorption", true, QUICK),
    condition!("neighbors", true, QUICK),
    condition!("polynomial", true, QUICK),
    condition!("sum-of-8", true, QUICK),
    condition!("sine", true, QUICK, run only),
    condition!("figure-1", true, QUICK, run only),
    condition!("figure-1-never", false, PROOF),
    condition!("sum-and-product", true, QUICK),
    condition!("circle-and-line", true, QUICK),
    condition!("linear-equations", true, QUICK),
    condition!("quadratic", true, QUICK),
    condition!("exponential", true, QUICK, run only),
    condition!("power", true, QUICK, run only),
    condition!("sum-of-19", true, QUICK),
    condition!("monotony", false, PROOF),
    condition!("squares", false, PROOF),
    condition!("remainder", false, PROOF),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_scripts_are_about_the_same() {
        for condition in CONDITIONS {
            assert!(condition.program.contains("FOUND"), "{}", condition.name);
            let Some(script) = condition.script else {
                continue;
            };
            let about = |text: &str| text.lines().next().map(|l| l[2..].trim().to_string());
            let program = about(condition.program).map(|t| t.replace("*/", ""));
            let (program, script) = (program.unwrap(), about(script).unwrap());
            assert!(
                script.starts_with(program.trim().trim_end_matches(". ")),
                "{}: {program}, {script}",
                condition.name
            );
        }
    }
}
