//! The table of instructions: what `instructions!` makes of a row.
//!
//! A row names the fields of an instruction in the order of its declaration, each with its kind:
//!
//! | kind | is | in the text |
//! |---|---|---|
//! | `width`, `width(range)` | a width or a number of bytes; without a range 1..=64 | `.32` behind the name |
//! | `word` | an operation, a format | `.Add` behind the name |
//! | `flag(yes no)` | a yes or no | `.yes` or `.no` behind the name |
//! | `read(width)` | an operand | `r1`, `7`, `&global` |
//! | `write(width)` | the destination | `r1 =` before the name |
//! | `write_flag(width)` | the destination, and one bit in the register behind it | `r1 =` before the name |
//! | `label` | a branch target | `L12` |
//! | `number` | any other number | `scale 4`: the field's name before it |
//! | `string` | an index into [`crate::Module::strings`] | `"text"` |
//! | `site` | a coverage site | `site 3` |
//! | `table` | part of what lies in tables of the module | as `text` and `parse` say for each such instruction |
//!
//! The width of an operand is a number, the name of a field with a width or a format, `bytes * 8`, or any expression
//! over references to the fields before it. What fields have to be to each other stands behind the row: `if` with what
//! the verifier says when it does not hold.

use crate::{Pc, Reg, SiteId, StrId, Val};
use std::ops::RangeInclusive;

/// Walks the fields of an instruction in the order of the table, and may change them: one walk prints, another one
/// reads text, a third one verifies. Fields of kind `table` are left out.
pub trait Fields {
    /// Why a walk ends early.
    type Error;

    /// A width in bits or a number of bytes, and what it may be.
    fn width(
        &mut self,
        width: &mut impl IntegerField,
        allowed: RangeInclusive<u32>,
    ) -> Result<(), Self::Error>;
    /// An operation, a format, …
    fn word<W: crate::ops::Word>(&mut self, word: &mut W) -> Result<(), Self::Error>;
    /// One of two words.
    fn flag(&mut self, flag: &mut bool, words: [&'static str; 2]) -> Result<(), Self::Error>;
    /// An operand of so many bits.
    fn read(&mut self, value: &mut Val, width: u32) -> Result<(), Self::Error>;
    /// The first register of the destination; it has so many bits, a flag of one bit may follow.
    fn write(&mut self, register: &mut Reg, width: u32, flag: bool) -> Result<(), Self::Error>;
    /// A branch target.
    fn label(&mut self, target: &mut Pc) -> Result<(), Self::Error>;
    /// A number with the name of its field.
    fn number(
        &mut self,
        name: &'static str,
        number: &mut impl IntegerField,
    ) -> Result<(), Self::Error>;
    /// An index into the module's strings.
    fn string(&mut self, string: &mut StrId) -> Result<(), Self::Error>;
    /// A coverage site.
    fn site(&mut self, site: &mut SiteId) -> Result<(), Self::Error>;
}

/// An integer field.
pub trait IntegerField: Copy {
    /// Its value.
    fn get(self) -> i64;
    /// The field with this value, if it has room for it.
    fn of(value: i64) -> Option<Self>;
    /// The value of a width.
    fn bits(self) -> u32 {
        self.get() as u32
    }
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl IntegerField for $ty {
            fn get(self) -> i64 {
                i64::from(self)
            }
            fn of(value: i64) -> Option<$ty> {
                value.try_into().ok()
            }
        }
    )*};
}
numbers!(u8 u16 u32 i32);

/// What a field is before the text has said what it is.
pub(crate) trait Blank {
    const BLANK: Self;
}

macro_rules! blanks {
    ($($ty:ty = $value:expr;)*) => { $(impl Blank for $ty { const BLANK: $ty = $value; })* };
}
blanks! { u8 = 0; u16 = 0; u32 = 0; i32 = 0; bool = false; Reg = Reg(0); Val = Val(0); }

impl<W: crate::ops::Word> Blank for W {
    const BLANK: W = W::ALL[0];
}

/// The width of an operand from what stands in the table.
macro_rules! bits {
    ($n:literal) => {
        $n
    };
    ($width:ident) => {
        $width.bits()
    };
    ($bytes:ident * 8) => {
        $bytes.bits().saturating_mul(8)
    };
    ($e:expr) => {
        $e
    };
}

// These leave out the kinds that are none of theirs; `walk` refuses what is no kind at all.
macro_rules! report_read {
    ($o:ident $f:ident read ($($w:tt)*)) => { $o.reads($f, bits!($($w)*)) };
    ($($other:tt)*) => {};
}

macro_rules! report_write {
    ($o:ident $f:ident write ($($w:tt)*)) => { $o.writes($f, bits!($($w)*)) };
    ($o:ident $f:ident write_flag ($($w:tt)*)) => {
        let mut flag = Reg($f.0.saturating_add(1));
        $o.writes($f, bits!($($w)*));
        $o.writes(&mut flag, 1);
    };
    ($($other:tt)*) => {};
}

macro_rules! report_target {
    ($to:ident $f:ident label ()) => {
        $to($f)
    };
    ($($other:tt)*) => {};
}

macro_rules! walk {
    ($v:ident $f:ident width ()) => { $v.width($f, 1..=64)? };
    ($v:ident $f:ident width ($($range:tt)*)) => { $v.width($f, $($range)*)? };
    ($v:ident $f:ident word ()) => { $v.word($f)? };
    ($v:ident $f:ident flag ($yes:ident $no:ident)) => { $v.flag($f, [stringify!($yes), stringify!($no)])? };
    ($v:ident $f:ident read ($($w:tt)*)) => { $v.read($f, bits!($($w)*))? };
    ($v:ident $f:ident write ($($w:tt)*)) => { $v.write($f, bits!($($w)*), false)? };
    ($v:ident $f:ident write_flag ($($w:tt)*)) => { $v.write($f, bits!($($w)*), true)? };
    ($v:ident $f:ident label ()) => { $v.label($f)? };
    ($v:ident $f:ident number ()) => { $v.number(stringify!($f), $f)? };
    ($v:ident $f:ident string ()) => { $v.string($f)? };
    ($v:ident $f:ident site ()) => { $v.site($f)? };
    ($v:ident $f:ident table ()) => {};
}

macro_rules! instructions {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident: $ty:ty = $kind:ident $(($($arg:tt)*))?),* })?
        $(if $rule:expr, $why:literal)?;
    )*) => {
        /// One instruction, 20 bytes.
        #[allow(missing_docs)] // Rows whose names are not the usual ones say what they mean.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Inst { $($(#[$doc])* $name $({ $($field: $ty),* })?),* }

        #[allow(unused_variables)] // not every row uses all that it binds
        impl Inst {
            /// The instruction's name in the text.
            pub const fn name(&self) -> &'static str {
                match self { $(Inst::$name { .. } => stringify!($name)),* }
            }

            /// The names of all instructions.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// An instruction of this name whose fields are yet to be filled in.
            pub fn blank(name: &str) -> Option<Inst> {
                Some(match name {
                    $(stringify!($name) => Inst::$name { $($($field: Blank::BLANK),*)? },)*
                    _ => return None,
                })
            }

            /// Reports reads, then writes. The destination of [`Inst::Call`] is not reported, because the
            /// callee's results say how many registers it has, nor is what lies in tables of the module.
            pub fn operands(&mut self, o: &mut impl Operands) {
                match self {$(
                    Inst::$name $({ $($field),* })? => {
                        $($(report_read!(o $field $kind ($($($arg)*)?));)*)?
                        $($(report_write!(o $field $kind ($($($arg)*)?));)*)?
                    }
                )*}
            }

            /// Reports the branch targets that the instruction itself holds (not those of a switch table).
            pub fn targets(&mut self, mut to: impl FnMut(&mut Pc)) {
                match self {$(
                    Inst::$name $({ $($field),* })? => {
                        $($(report_target!(to $field $kind ($($($arg)*)?));)*)?
                    }
                )*}
            }

            /// Walks the fields in order.
            ///
            /// # Errors
            /// The first one of the walk.
            pub fn fields<V: Fields>(&mut self, v: &mut V) -> Result<(), V::Error> {
                match self {$(
                    Inst::$name $({ $($field),* })? => {
                        $($(walk!(v $field $kind ($($($arg)*)?));)*)?
                    }
                )*}
                Ok(())
            }

            /// What the fields are to each other must be as the table says.
            ///
            /// # Errors
            /// What is wrong.
            pub fn rule(&self) -> Result<(), &'static str> {
                match *self {$(
                    Inst::$name $({ $($field),* })? => {
                        $(if !$rule { return Err($why); })?
                    }
                )*}
                Ok(())
            }
        }
    };
}
