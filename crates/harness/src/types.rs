//! A function and its types, as C sees them, without qualifiers and typedefs.

use crate::said::Said;
use serde::{Deserialize, Serialize};

/// The prefix of the linker's names of functions that no other file can call (static ones, and `main`): the library that was cut out
/// for a driver has an alias of this name.
pub const STATIC: &str = "polypath.static.";

/// Index into [`Description::types`].
pub type TypeId = usize;

/// All that a driver is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The function under test.
    pub entry: Function,
    /// A function of the same parameters that decides whether the function may be called with them.
    pub precondition: Option<Function>,
    /// All types that occur; [`TypeId`]s are indices into it.
    pub types: Vec<Type>,
    /// Notes for the user, one sentence each.
    pub notes: Vec<String>,
    /// How the library makes objects that only it can make.
    #[serde(default)]
    pub makers: Vec<Maker>,
    /// Functions that may change what a constructor made, those that are likelier to matter first.
    #[serde(default)]
    pub mutators: Vec<Mutator>,
    /// Structures whose content only the library knows.
    #[serde(default)]
    pub private: Vec<String>,
    /// Variables that keep a value between calls of what the function reaches, by name.
    #[serde(default)]
    pub state: Vec<String>,
    /// The sources of the modules, absolute where the compiler's directory is known.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Files in which types stand that the sources use: headers among them.
    #[serde(default)]
    pub files: Vec<String>,
    /// What the sources and headers say of the arguments in words and attributes.
    #[serde(default)]
    pub said: Said,
    /// Unions whose member another member of the structure tells.
    #[serde(default)]
    pub tagged: Vec<Tagged>,
}

/// A union in a structure, and the member of that structure, its tag, which tells what is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tagged {
    /// The structure.
    pub record: TypeId,
    /// Which of its members is the union.
    pub union: usize,
    /// Which of its members is the tag, an integer.
    pub tag: usize,
    /// For values of the tag, in order, which members of the union may be set. Under other values all may.
    pub members: Vec<(i64, Vec<usize>)>,
}

/// A constructor of the library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Maker {
    /// The structure that it makes.
    pub of: String,
    /// The constructor.
    pub function: Function,
    /// How it hands the object over.
    pub how: How,
}

/// A function of the library that changes an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mutator {
    /// The structure, to which its first parameter points.
    pub of: String,
    /// The function.
    pub function: Function,
}

/// The effect of a constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// It returns the object, or null.
    Returns,
    /// It sets the pointer behind one of its parameters (`int foo_new(struct foo **out)`), and returns `success` if it could.
    Out {
        /// Which parameter, from 0 on.
        at: usize,
        /// The result that means success; `None` when the function returns nothing.
        success: Option<i64>,
    },
    /// It fills the object behind its first parameter, and returns `success` if it could.
    Fills {
        /// The result that means success; `None` when the function returns nothing.
        success: Option<i64>,
    },
}

/// A function that the driver calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its name in the source.
    pub name: String,
    /// Its name for the linker, which differs for a static function.
    pub symbol: String,
    /// Source file and line; empty and 0 when unknown.
    pub file: String,
    /// Line in [`Function::file`], from 1; 0 when unknown.
    pub line: u32,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Type of the result.
    pub result: TypeId,
    /// Whether it takes arguments beyond its parameters (`...`).
    pub variadic: bool,
}

/// A parameter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// Empty when it has none.
    pub name: String,
    /// Its type, after adjustment: arrays and functions are pointers.
    pub ty: TypeId,
    /// Declared never to be null.
    pub nonnull: bool,
    /// The code follows it and never asks whether it is null, and no caller in the library passes null.
    #[serde(default)]
    pub granted: bool,
}

/// A format of floating point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FloatKind {
    /// IEEE 754 binary32 (`float`).
    Single,
    /// IEEE 754 binary64 (`double`).
    Double,
    /// x87's 80 bits in 16 bytes.
    Extended,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Type {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// `character`: plain `char`, whose arrays are strings.
    Int {
        /// Width in bits.
        bits: u32,
        /// Whether values are signed.
        signed: bool,
        /// Plain `char`.
        character: bool,
    },
    /// A floating-point number.
    Float(FloatKind),
    /// A complex number of two of these.
    Complex(FloatKind),
    /// An enumeration, in C an integer of `bits` bits.
    Enum {
        /// Width in bits.
        bits: u32,
        /// Whether values are signed.
        signed: bool,
        /// Values of the enumerators.
        values: Vec<i64>,
    },
    /// A pointer to this type.
    Pointer(TypeId),
    /// `count` is absent for a flexible array member.
    Array {
        /// Type of the elements.
        of: TypeId,
        /// Number of elements.
        count: Option<u64>,
    },
    /// A structure or union of known layout; `size` in bytes.
    Record {
        /// Its tag; empty when it has none.
        name: String,
        /// Whether it is a union.
        union: bool,
        /// Size in bytes.
        size: u64,
        /// Members in order.
        fields: Vec<Field>,
        /// How users name it, if a file of C says that.
        #[serde(default)]
        spelling: Option<Spelling>,
    },
    /// A structure that is declared and nowhere defined.
    Opaque(String),
    /// A function, behind a pointer.
    Function {
        /// Types of the parameters.
        params: Vec<TypeId>,
        /// Type of the result.
        result: TypeId,
        /// Whether it takes arguments beyond its parameters (`...`).
        variadic: bool,
    },
    /// A description of it.
    Unsupported(String),
}

/// The structure that a `va_list` is an array of, on x86-64.
pub const VA_LIST: &str = "__va_list_tag";

/// The name of a record in sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spelling {
    /// `struct csv_parser`, or the name of a typedef.
    pub text: String,
    /// The file in which its members stand.
    pub file: String,
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Empty for an anonymous member.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Offset in bits.
    pub offset: u64,
    /// Width of a bit field.
    pub bits: Option<u32>,
}

impl Function {
    /// Can other files call it?
    pub fn is_external(&self) -> bool {
        !self.symbol.starts_with(STATIC)
    }
}

impl Description {
    /// The type with this index; an index out of range is void.
    pub fn ty(&self, id: TypeId) -> &Type {
        self.types.get(id).unwrap_or(&Type::Void)
    }

    /// Whether a value of the type must be repaired after its bytes were made symbolic: pointers, and
    /// types with bit patterns that no program makes.
    pub fn needs_repair(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Bool | Type::Enum { .. } | Type::Pointer(_) => true,
            Type::Float(kind) | Type::Complex(kind) => *kind == FloatKind::Extended,
            Type::Array { of, .. } => self.needs_repair(*of),
            Type::Record { fields, .. } => fields.iter().any(|f| self.needs_repair(f.ty)),
            _ => false,
        }
    }

    /// Whether a value of the type holds pointers.
    pub fn has_pointer(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Pointer(_) => true,
            Type::Array { of, .. } => self.has_pointer(*of),
            Type::Record { fields, .. } => fields.iter().any(|f| self.has_pointer(f.ty)),
            _ => false,
        }
    }

    /// Whether the type is an integer in which a length can be passed.
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(
            self.ty(id),
            Type::Int {
                bits: 16..,
                character: false,
                ..
            }
        )
    }
}
