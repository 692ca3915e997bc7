//! The configurations of array solving, by name.

/// How reads of arrays are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum ArrayMethod {
    /// What measured best.
    #[default]
    Auto,
    /// KLEE's original encoding.
    Flush,
    /// KLEE's assertion encoding with STP's refinement.
    Assertion,
    /// Repeated values of constant arrays merged, after KLEE-Array.
    ArraySimplify,
    /// Refinement on demand.
    Cegar,
    /// The same after the pre-check, within its intervals.
    CegarPrecheck,
    /// The same with access types.
    CegarPrecheckTyped,
}

impl ArrayMethod {
    /// Every configuration with its name on the command line and one line of help.
    pub const ALL: &'static [(&'static str, ArrayMethod, &'static str)] = &[
        (
            "auto",
            ArrayMethod::Auto,
            "multiplexers over the window of an index, refinement for free arrays and large windows",
        ),
        (
            "flush",
            ArrayMethod::Flush,
            "constant arrays as a chain of writes, one comparison for each element",
        ),
        (
            "assertion",
            ArrayMethod::Assertion,
            "constant arrays as assertions; violated axioms first, then all",
        ),
        (
            "array-simplify",
            ArrayMethod::ArraySimplify,
            "constant arrays as choices between their distinct values",
        ),
        (
            "cegar",
            ArrayMethod::Cegar,
            "reads abstracted, axioms on demand",
        ),
        (
            "cegar+precheck",
            ArrayMethod::CegarPrecheck,
            "cegar after a check over integers, within the intervals that it finds",
        ),
        (
            "cegar+precheck+typed",
            ArrayMethod::CegarPrecheckTyped,
            "cegar+precheck with only the axioms that access types leave",
        ),
    ];

    /// The configuration of this name.
    ///
    /// # Errors
    /// The list of names, when there is none.
    pub fn by_name(name: &str) -> Result<ArrayMethod, String> {
        let found = ArrayMethod::ALL.iter().find(|(n, ..)| *n == name);
        found.map(|&(_, method, _)| method).ok_or_else(|| {
            let names: Vec<&str> = ArrayMethod::ALL.iter().map(|(n, ..)| *n).collect();
            format!(
                "unknown array method '{name}'; there are {}",
                names.join(", ")
            )
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = ArrayMethod::ALL.iter().find(|(_, m, _)| *m == self);
        found.map_or("", |(name, ..)| name)
    }

    /// Are long update lists abstracted?
    pub(crate) fn is_lazy(self) -> bool {
        !matches!(self, ArrayMethod::Flush | ArrayMethod::ArraySimplify)
    }

    /// Are elements at `stride * k + offset` read at `k`?
    pub(crate) fn scales(self) -> bool {
        matches!(self, ArrayMethod::Auto | ArrayMethod::CegarPrecheckTyped)
    }

    /// Are the necessary elements of a read given together?
    pub(crate) fn gives_together(self) -> bool {
        self.scales()
    }

    /// Is the query checked over integers first?
    pub(crate) fn prechecks(self) -> bool {
        matches!(
            self,
            ArrayMethod::CegarPrecheck | ArrayMethod::CegarPrecheckTyped
        )
    }
}
