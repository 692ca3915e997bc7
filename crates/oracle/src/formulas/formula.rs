//! Terms as trees of SMT-LIB text with sorts: enough to print them and to shrink them.

use std::fmt;

/// A sort of plain values, what arrays and functions are over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plain {
    Bool,
    Bits(u32),
    /// The declared sort of that number.
    Declared(u32),
    /// Bits of exponent and of significand.
    Float(u32, u32),
    Rounding,
}

/// A sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Plain(Plain),
    /// Sorts of index and element.
    Array(Plain, Plain),
    Int,
}

impl Sort {
    pub const BOOL: Sort = Sort::Plain(Plain::Bool);

    pub fn bits(width: u32) -> Sort {
        Sort::Plain(Plain::Bits(width))
    }

    /// Does the sort speak about the declared sort of that number?
    fn names(self, number: u32) -> bool {
        let declared = Plain::Declared(number);
        match self {
            Sort::Plain(plain) => plain == declared,
            Sort::Array(index, elem) => index == declared || elem == declared,
            Sort::Int => false,
        }
    }

    /// The simplest term of the sort.
    pub fn simplest(self) -> Expr {
        let text = match self {
            Sort::Plain(plain) => plain.simplest(),
            Sort::Array(_, elem) => format!("((as const {self}) {})", elem.simplest()),
            Sort::Int => "0".into(),
        };
        Expr::leaf(text, self)
    }
}

impl Plain {
    fn simplest(self) -> String {
        match self {
            Plain::Bool => "false".into(),
            Plain::Bits(width) => format!("(_ bv0 {width})"),
            Plain::Declared(number) => element(number, 0),
            Plain::Float(eb, sb) => format!("(_ +zero {eb} {sb})"),
            Plain::Rounding => "RNE".into(),
        }
    }
}

/// Name of a constant of a declared sort. Constant 0 is declared wherever the sort is.
pub fn element(sort: u32, k: u32) -> String {
    format!("e{sort}_{k}")
}

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plain::Bool => f.write_str("Bool"),
            Plain::Bits(width) => write!(f, "(_ BitVec {width})"),
            Plain::Declared(number) => write!(f, "S{number}"),
            Plain::Float(eb, sb) => write!(f, "(_ FloatingPoint {eb} {sb})"),
            Plain::Rounding => f.write_str("RoundingMode"),
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Plain(plain) => plain.fmt(f),
            Sort::Array(index, elem) => write!(f, "(Array {index} {elem})"),
            Sort::Int => f.write_str("Int"),
        }
    }
}

/// An operator with its arguments, or a leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    pub head: String,
    pub args: Vec<Expr>,
    pub sort: Sort,
}

impl Expr {
    pub fn leaf(head: impl Into<String>, sort: Sort) -> Expr {
        Expr::new(head, vec![], sort)
    }

    pub fn new(head: impl Into<String>, args: Vec<Expr>, sort: Sort) -> Expr {
        Expr {
            head: head.into(),
            args,
            sort,
        }
    }

    /// Number of nodes.
    pub fn size(&self) -> usize {
        1 + self.args.iter().map(Expr::size).sum::<usize>()
    }

    /// Node number `at`, counted before its arguments.
    pub fn get(&self, at: usize) -> Option<&Expr> {
        if at == 0 {
            return Some(self);
        }
        let mut left = at - 1;
        for arg in &self.args {
            let size = arg.size();
            if left < size {
                return arg.get(left);
            }
            left -= size;
        }
        None
    }

    /// The tree with node number `at` replaced.
    pub fn with(&self, at: usize, new: &Expr) -> Expr {
        if at == 0 {
            return new.clone();
        }
        let mut left = at - 1;
        let mut copy = self.clone();
        for arg in &mut copy.args {
            let size = arg.size();
            if left < size {
                *arg = arg.with(left, new);
                break;
            }
            left -= size;
        }
        copy
    }

    /// Trees that are a little smaller: a node is replaced by an argument of its sort or by the simplest
    /// term.
    pub fn smaller(&self) -> Vec<Expr> {
        let mut out = Vec::new();
        for at in 0..self.size() {
            let Some(node) = self.get(at) else {
                continue;
            };
            if !node.args.is_empty() {
                out.push(self.with(at, &node.sort.simplest()));
            }
            let same = node.args.iter().filter(|a| a.sort == node.sort);
            out.extend(same.map(|arg| self.with(at, arg)));
        }
        out
    }

    /// Does a node have the property?
    pub fn any(&self, is: &impl Fn(&Expr) -> bool) -> bool {
        is(self) || self.args.iter().any(|arg| arg.any(is))
    }

    /// Is a declared name used?
    pub fn mentions(&self, name: &str) -> bool {
        self.any(&|node| node.head == name)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.args.is_empty() {
            return f.write_str(&self.head);
        }
        write!(f, "({}", self.head)?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))?;
        f.write_str(")")
    }
}

/// A declared constant or function.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub name: String,
    pub params: Vec<Plain>,
    pub sort: Sort,
}

impl Declaration {
    /// Does it need the declared sort of that number?
    pub fn names(&self, number: u32) -> bool {
        self.sort.names(number) || self.params.contains(&Plain::Declared(number))
    }
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Declaration { name, params, sort } = self;
        let params: Vec<String> = params.iter().map(Plain::to_string).collect();
        writeln!(f, "(declare-fun {name} ({}) {sort})", params.join(" "))
    }
}
