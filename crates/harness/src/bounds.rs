//! Bounds of arrays and strings that grow.
//!
//! A driver begins with short arrays and strings. When these bring nothing new, the bounds double, up to the greatest ones: each
//! bound is a path of its own that waits for those before it (`polypath_defer`), and takes only inputs of which some length is
//! beyond the bound before, so nothing is explored twice.

use crate::driver::DriverOptions;
use crate::raw::BOUNDS;
use crate::writer::Writer;

/// The first bound of arrays and of strings.
const FIRST_ARRAYS: u64 = 4;
const FIRST_STRINGS: u64 = 8;

/// The first and the greatest bound of arrays.
pub(crate) fn of_arrays(options: &DriverOptions) -> (u64, u64) {
    (FIRST_ARRAYS.min(options.array_max), options.array_max)
}

/// The first and the greatest bound of strings.
pub(crate) fn of_strings(options: &DriverOptions) -> (u64, u64) {
    (FIRST_STRINGS.min(options.string_max), options.string_max)
}

/// The bound of lengths of arrays whose elements have pointers: each element is made by code of its own.
pub(crate) fn of_pointers(options: &DriverOptions) -> u64 {
    options.array_max.min(FIRST_ARRAYS)
}

/// The bounds that a driver asks for.
#[derive(Default)]
pub(crate) struct Bounds {
    arrays: bool,
    strings: bool,
}

/// The parts of a driver that are about its bounds.
#[derive(Default)]
pub(crate) struct BoundsCode {
    /// Variables of the whole driver.
    pub(crate) variables: String,
    /// The function that doubles them.
    pub(crate) function: String,
    /// What `main` does before it makes the parameters.
    pub(crate) begin: String,
    /// And after that.
    pub(crate) end: String,
}

impl Bounds {
    /// The code for the bounds that were asked for.
    pub(crate) fn code(&self, options: &DriverOptions) -> BoundsCode {
        let of = |is_used: bool, (first, max): (u64, u64)| (is_used, first, max);
        let arrays = of(self.arrays, of_arrays(options));
        let strings = of(self.strings, of_strings(options));
        let all = [("pp_arrays", arrays), ("pp_strings", strings)];
        let used = all.iter().filter(|(_, (is_used, ..))| *is_used);
        let steps = used.clone().map(|(_, (_, first, max))| {
            let doubled = |n: &u64| Some((2 * n).min(*max)).filter(|next| next > n);
            std::iter::successors(Some(*first), doubled).count() - 1
        });
        let Some(steps) = steps.max() else {
            return BoundsCode::default();
        };
        let mut variables = String::from(
            "\n/* The bounds of lengths, those before, and whether some length is beyond these. */\n",
        );
        let mut doubling = String::new();
        for (name, (_, first, max)) in used {
            variables += &format!("static unsigned long {name} = {first}, {name}_before;\n");
            doubling += &format!(
                "        {name}_before = {name};\n        {name} = 2 * {name} < {max} ? 2 * {name} : {max};\n"
            );
        }
        variables += "static unsigned char pp_is_longer;\n";
        if steps == 0 {
            return BoundsCode {
                variables,
                ..BoundsCode::default()
            };
        }
        let function = format!(
            "\nstatic unsigned pp_grow(void)\n{{\n    unsigned char steps = pp_choice(\"{BOUNDS}\");\n    unsigned step = 0;\n    \
             klee_assume(steps <= {steps});\n    for (; step < steps; step++) {{\n        \
             polypath_defer();\n        polypath_grows();\n{doubling}    }}\n    return step;\n}}\n"
        );
        let begin = "    /* Longer arrays and strings wait until these bring nothing new. */\n    unsigned pp_steps = pp_grow();\n";
        let end = "    klee_assume((pp_steps == 0) | pp_is_longer);\n";
        BoundsCode {
            variables,
            function,
            begin: begin.into(),
            end: end.into(),
        }
    }
}

impl Writer<'_> {
    /// The bound of arrays' lengths, an expression of the driver.
    pub(crate) fn array_bound(&mut self) -> &'static str {
        self.bounds.arrays = true;
        "pp_arrays"
    }

    /// The bound of strings.
    pub(crate) fn string_bound(&mut self) -> &'static str {
        self.bounds.strings = true;
        "pp_strings"
    }

    /// Bounds an integer of the driver that is a length.
    pub(crate) fn bound_length(&mut self, place: &str) {
        let bound = self.array_bound();
        self.line(&format!("klee_assume((unsigned long){place} <= {bound});"));
        self.line(&format!(
            "pp_is_longer |= (unsigned long){place} > {bound}_before;"
        ));
    }

    /// An object is made whose size is the bound.
    pub(crate) fn has_size_of(&mut self, bound: &str) {
        self.line(&format!("pp_is_longer |= {bound} > {bound}_before;"));
    }
}
