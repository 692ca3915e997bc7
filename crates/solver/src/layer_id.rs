//! The names of the layers, in the order in which a query meets them: name, help, and what their counter says. How one
//! is made stands in `layers/registry.rs`. Two rows are no layers of the chain but stand in it by their name: `domains`
//! also has a fast path before the chain, and `independence` cuts the query before it.

macro_rules! layer_ids {
    ($($variant:ident $name:literal $help:literal, $decided:literal;)*) => {
        /// Something that decides queries, or makes them smaller, and that `--solver-layers` can name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LayerId { $(#[doc = $help] $variant),* }

        impl LayerId {
            /// All layers, in the order of the table.
            pub const ALL: &[LayerId] = &[$(LayerId::$variant),*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(LayerId::$variant => $name),* }
            }

            /// The layer of that name.
            ///
            /// # Errors
            /// There is none; the message has all names.
            pub fn by_name(name: &str) -> Result<LayerId, String> {
                let found = LayerId::ALL.iter().find(|id| id.name() == name);
                found.copied().ok_or_else(|| {
                    let known: Vec<&str> = LayerId::ALL.iter().map(|id| id.name()).collect();
                    format!("the layers are {}", known.join(", "))
                })
            }

            /// What it does, for `--help`.
            pub const fn help(self) -> &'static str {
                match self { $(LayerId::$variant => $help),* }
            }

            /// Name of the counter of queries that it decided.
            pub(crate) const fn counter(self) -> &'static str {
                match self { $(LayerId::$variant => concat!("by_", $name)),* }
            }

            /// What that counter says.
            pub(crate) const fn decided(self) -> &'static str {
                match self { $(LayerId::$variant => concat!("decided ", $decided)),* }
            }
        }
    };
}

#[rustfmt::skip]
layer_ids! {
    Rewrite "rewrite" "constants, and conditions that stand on the path already",
        "as constants or by a conjunct on the path";
    Domains "domains" "the exact set of values of each input byte",
        "by sets of byte values";
    Independence "independence" "only the conjuncts that share symbols with the condition",
        "never: it makes queries smaller";
    Cores "cores" "answers and unsatisfiable cores of earlier queries",
        "by an earlier answer or core";
    Reuse "reuse" "models of earlier queries",
        "by an earlier model";
    Lia "lia" "linear integer arithmetic: queries over integers",
        "by linear integer arithmetic";
    Intervals "intervals" "value ranges and known bits under the path",
        "by value ranges";
    Facts "facts" "value ranges and known bits in both directions, for queries with products",
        "by value ranges in both directions";
    Search "search" "a few guided changes of the witness",
        "by local search";
    Enumeration "enumeration" "every assignment of up to 16 input bits",
        "by every assignment of a few bits";
    Congruence "congruence" "one value for each class of equal terms, tried where trials are wanted",
        "by the classes of the congruence closure";
    FloatIntervals "float-intervals" "sets of floats in both directions, and the order of terms",
        "by sets of floats";
    FloatSearch "float-search" "descent on the distance to satisfying conditions with floats",
        "by descent on float conditions";
    RealBox "real-box" "float conditions over boxes of real numbers, and the floats next to a solution",
        "next to a real solution";
    Fuzz "fuzz" "fuzzing of conditions with floats, only with the method of that name",
        "by fuzzing float conditions";
    Synergy "synergy" "simple conditions by circuits, then real numbers, then fuzzing, only with the method of that name",
        "by circuits, real numbers and fuzzing in turn";
    SmallFloat "small-float" "float conditions at smaller precisions, and a descent from their models",
        "from a solution at a smaller precision";
    Bvfp "bvfp" "floating-point conditions as conditions on bit-vectors, for the layers behind this one",
        "never: it makes queries of other ones";
    Ilp "ilp" "integer linear programs for what is linear in the query",
        "by an integer linear program";
    Blast "blast" "bit-blasting onto a SAT solver",
        "by the SAT solver";
}
