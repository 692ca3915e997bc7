//! The counters of the passes. One declaration makes the struct and the rows of a report.

use solver::StatRow;

macro_rules! passes {
    ($($name:ident: $unit:literal, $help:literal;)*) => {
        /// Counters of the passes over scripts.
        #[derive(Clone, Debug, Default)]
        pub struct PassStats {
            $(#[doc = $help] pub $name: u64,)*
        }

        impl PassStats {
            /// Every counter with its unit and help.
            pub fn rows(&self) -> Vec<StatRow> {
                vec![$(StatRow {
                    name: concat!("preprocess_", stringify!($name)),
                    unit: $unit,
                    value: self.$name as f64,
                    help: $help,
                }),*]
            }
        }
    };
}

passes! {
    tables: "tables", "chains of constant stores that became constant arrays";
    equalities: "symbols", "symbols replaced by terms that a conjunct equates with them";
    known: "places", "places inside conjuncts whose value another conjunct decided";
    values: "bytes", "bytes replaced by the one value left of them";
    equated: "symbols", "float symbols that an equation says the bits of";
    floats: "terms", "float terms that the theory calls equal to another form of them";
    linear: "equations", "equations decided or solved for a symbol, modulo a power of two";
    slices: "symbols", "symbols split into the slices that are read";
    choices: "terms", "terms that came out of both branches of an if-then-else, or comparisons that went in";
    stores: "chains", "chains of stores in arrays that are compared, whose order changed";
    idle: "terms", "stores that changed nothing, reads past stores, and equations of stores made simpler";
    undone: "equations", "equations with stores over an array symbol that became definitions of it";
    joined: "equations", "equations over integers that both branches of an if-then-else had";
    local: "symbols", "integers eliminated in the only conjunction that speaks of them";
    unconstrained: "operators", "operators that an operand occurring once made free";
    codes: "symbols", "symbols whose values are only compared and became codes of few bits";
    facts: "terms", "conjuncts and places in them decided by known bits and intervals of all terms";
    narrowed: "symbols", "symbols of which the conjuncts decide bits";
}
