//! The encodings of arrays that papers describe: the baselines of `auto` (the first row). An encoding that needs more
//! code than its row has a file here.

mod assertion;
mod flush;
mod klee_array;
mod simplify;

use super::method::{AUTO, ArrayMethod, Content, Necessary, Traits};

/// Reads abstracted, axioms on demand ("Type and interval aware array constraint solving for symbolic execution").
const CEGAR: Traits = Traits {
    content: Content::Abstract,
    whole: None,
    is_lazy: true,
    scales: false,
    gives_together: false,
    prechecks: false,
    on_demand: false,
    necessary: Necessary::All,
    all_at_once: false,
};

/// All configurations and their traits.
const METHODS: &[(ArrayMethod, Traits)] = &[
    (ArrayMethod::Auto, AUTO),
    (
        ArrayMethod::Flush,
        Traits {
            content: Content::Whole(flush::flushed),
            is_lazy: false,
            necessary: Necessary::Typed,
            ..CEGAR
        },
    ),
    (
        ArrayMethod::Assertion,
        Traits {
            all_at_once: true,
            ..CEGAR
        },
    ),
    (
        ArrayMethod::AssertionPrecheck,
        Traits {
            all_at_once: true,
            prechecks: true,
            ..CEGAR
        },
    ),
    (
        ArrayMethod::ArraySimplify,
        Traits {
            content: Content::Whole(simplify::merged),
            is_lazy: false,
            necessary: Necessary::Typed,
            ..CEGAR
        },
    ),
    (
        ArrayMethod::KleeArray,
        Traits {
            content: Content::Whole(simplify::merged),
            whole: Some(klee_array::whole),
            is_lazy: false,
            necessary: Necessary::Typed,
            ..CEGAR
        },
    ),
    (ArrayMethod::Cegar, CEGAR),
    (
        ArrayMethod::CegarPrecheck,
        Traits {
            prechecks: true,
            necessary: Necessary::Window,
            ..CEGAR
        },
    ),
    (
        ArrayMethod::CegarPrecheckTyped,
        Traits {
            scales: true,
            gives_together: true,
            prechecks: true,
            necessary: Necessary::Typed,
            ..CEGAR
        },
    ),
];

impl ArrayMethod {
    /// Its traits.
    pub(crate) fn traits(self) -> &'static Traits {
        let row = METHODS.iter().find(|(of, _)| *of == self);
        row.map_or(&AUTO, |(_, traits)| traits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_configuration_has_its_row() {
        for &(name, method, _) in ArrayMethod::ALL {
            assert!(METHODS.iter().any(|(of, _)| *of == method), "{name}");
        }
        assert_eq!(METHODS.len(), ArrayMethod::ALL.len());
    }
}
