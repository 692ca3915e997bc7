//! Sorts as scripts see them. A term of the pool does not distinguish a Bool from a bit-vector of width 1, nor an
//! element of a declared sort from a bit-vector; these sorts do.

use crate::error::{Checked, refuse, wrong};
use crate::write;
use std::rc::Rc;
use term::FloatFormat;

/// Width of the bit-vectors that stand for the elements of a declared sort. A satisfiable
/// formula without quantifiers has a model with at most as many elements as it has terms of the
/// sort, which is fewer than 2^32, and one with any number more unless constant arrays over the sort say
/// something of all of them (`Reader::take_sizes_matter`).
pub(crate) const DECLARED_WIDTH: u32 = 32;
/// Width of the bit-vectors that hold rounding modes, of which there are five.
pub(crate) const ROUNDING_WIDTH: u32 = 3;

/// A sort of plain values: what arrays and functions are over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// Truth values.
    Bool,
    /// Bit-vectors of a width.
    BitVec(u32),
    /// A declared sort, by its number among [`Sorts`].
    Declared(u32),
    /// Floating-point numbers of a format.
    Float(FloatFormat),
    /// Rounding modes.
    Rounding,
}

impl Scalar {
    /// Width of the bit-vector that holds a value.
    pub fn width(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::BitVec(width) => width,
            Scalar::Declared(_) => DECLARED_WIDTH,
            Scalar::Float(format) => format.bits(),
            Scalar::Rounding => ROUNDING_WIDTH,
        }
    }

    /// Do several bit-vectors stand for one value? NaN has many patterns, and there are eight numbers for five modes.
    pub(crate) fn is_redundant(self) -> bool {
        matches!(self, Scalar::Float(_) | Scalar::Rounding)
    }
}

/// A sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScriptSort {
    /// Plain values.
    Scalar(Scalar),
    /// Integers.
    Int,
    /// Reals, by the number of their linear form among those of the script.
    Real,
    /// Arrays.
    Array {
        /// Sort of an index.
        index: Scalar,
        /// Sort of an element.
        elem: Scalar,
    },
}

impl ScriptSort {
    /// Truth values.
    pub const BOOL: ScriptSort = ScriptSort::Scalar(Scalar::Bool);

    /// Bit-vectors of a width.
    pub const fn bits(width: u32) -> ScriptSort {
        ScriptSort::Scalar(Scalar::BitVec(width))
    }

    /// The sort of the symbols that stand for declared constants: plain values are held as bit-vectors.
    pub fn of_symbols(self) -> term::Sort {
        match self {
            ScriptSort::Scalar(scalar) => term::Sort::BitVec(scalar.width()),
            ScriptSort::Int | ScriptSort::Real => term::Sort::Int,
            ScriptSort::Array { index, elem } => term::Sort::Array {
                index: index.width(),
                elem: elem.width(),
            },
        }
    }

    /// The plain sort that this is.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            ScriptSort::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }
}

/// Arrays of a sort; refused when the pool has no such arrays.
pub(crate) fn array(index: ScriptSort, elem: ScriptSort) -> Checked<ScriptSort> {
    let (ScriptSort::Scalar(index), ScriptSort::Scalar(elem)) = (index, elem) else {
        return match (index, elem) {
            (ScriptSort::Real, _) | (_, ScriptSort::Real) => refuse("arrays over reals"),
            (ScriptSort::Int, _) | (_, ScriptSort::Int) => refuse("arrays over integers"),
            _ => refuse("arrays of arrays"),
        };
    };
    if index.width() > term::Sort::MAX_INDEX || elem.width() > term::Sort::MAX_ELEM {
        return refuse("arrays this wide");
    }
    Ok(ScriptSort::Array { index, elem })
}

/// A sort with parameters, the right side of `define-sort`.
#[derive(Clone, Debug)]
pub(crate) enum Template {
    Fixed(ScriptSort),
    Parameter(usize),
    Array(Rc<Template>, Rc<Template>),
}

impl Template {
    /// The sort for the given arguments. Templates are as deep as the text that defined them,
    /// which the reader bounds.
    pub fn instantiate(&self, arguments: &[Template]) -> Template {
        match self {
            Template::Fixed(_) => self.clone(),
            Template::Parameter(k) => arguments[*k].clone(),
            Template::Array(index, elem) => Template::Array(
                Rc::new(index.instantiate(arguments)),
                Rc::new(elem.instantiate(arguments)),
            ),
        }
    }

    /// The sort, when there are no parameters in it.
    pub fn close(&self) -> Checked<ScriptSort> {
        match self {
            Template::Fixed(sort) => Ok(*sort),
            Template::Parameter(_) => wrong("a parameter outside of its definition"),
            Template::Array(index, elem) => array(index.close()?, elem.close()?),
        }
    }
}

/// Names of the declared sorts, by number.
#[derive(Clone, Debug, Default)]
pub struct Sorts {
    pub(crate) names: Vec<Rc<str>>,
}

impl Sorts {
    /// A plain sort as text.
    pub fn scalar_name(&self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Bool => "Bool".into(),
            Scalar::BitVec(width) => format!("(_ BitVec {width})"),
            Scalar::Declared(number) => write::symbol(&self.names[number as usize]),
            Scalar::Float(format) => format!(
                "(_ FloatingPoint {} {})",
                format.exponent_bits(),
                format.precision()
            ),
            Scalar::Rounding => "RoundingMode".into(),
        }
    }

    /// A sort as text.
    pub fn name(&self, sort: ScriptSort) -> String {
        match sort {
            ScriptSort::Scalar(scalar) => self.scalar_name(scalar),
            ScriptSort::Int => "Int".into(),
            ScriptSort::Real => "Real".into(),
            ScriptSort::Array { index, elem } => format!(
                "(Array {} {})",
                self.scalar_name(index),
                self.scalar_name(elem)
            ),
        }
    }
}
