//! Formulas as trees of SMT-LIB text with sorts: enough to print them and to shrink them.

use std::fmt;

/// A sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Bool,
    Bits(u32),
    /// Widths of index and element.
    Array(u32, u32),
    Int,
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Bits(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array(index, elem) => {
                write!(f, "(Array (_ BitVec {index}) (_ BitVec {elem}))")
            }
            Sort::Int => f.write_str("Int"),
        }
    }
}

impl Sort {
    /// The simplest term of the sort.
    pub fn simplest(self) -> Node {
        let text = match self {
            Sort::Bool => "false".into(),
            Sort::Bits(width) => format!("(_ bv0 {width})"),
            Sort::Array(_, elem) => format!("((as const {self}) (_ bv0 {elem}))"),
            Sort::Int => "0".into(),
        };
        Node::leaf(text, self)
    }
}

/// An operator with its arguments, or a leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    pub head: String,
    pub args: Vec<Node>,
    pub sort: Sort,
}

impl Node {
    pub fn leaf(head: impl Into<String>, sort: Sort) -> Node {
        Node {
            head: head.into(),
            args: vec![],
            sort,
        }
    }

    pub fn new(head: impl Into<String>, args: Vec<Node>, sort: Sort) -> Node {
        Node {
            head: head.into(),
            args,
            sort,
        }
    }

    /// Number of nodes.
    pub fn size(&self) -> usize {
        1 + self.args.iter().map(Node::size).sum::<usize>()
    }

    /// Node number `at`, counted before its arguments.
    pub fn get(&self, at: usize) -> Option<&Node> {
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
    pub fn with(&self, at: usize, new: &Node) -> Node {
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

    fn mentions(&self, name: &str) -> bool {
        self.head == name || self.args.iter().any(|arg| arg.mentions(name))
    }
}

impl fmt::Display for Node {
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
    pub params: Vec<Sort>,
    pub sort: Sort,
}

/// Declarations and assertions.
#[derive(Clone, Debug)]
pub struct Formula {
    pub declarations: Vec<Declaration>,
    pub assertions: Vec<Node>,
}

impl Formula {
    /// The declarations that are used.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        for declaration in &self.declarations {
            let Declaration { name, params, sort } = declaration;
            if self.assertions.iter().any(|a| a.mentions(name)) {
                let params: Vec<String> = params.iter().map(Sort::to_string).collect();
                let params = params.join(" ");
                text.push_str(&format!("(declare-fun {name} ({params}) {sort})\n"));
            }
        }
        text
    }

    /// The assertions with these numbers.
    pub fn assertions(&self, only: impl Fn(usize) -> bool) -> String {
        let mut text = String::new();
        for (k, assertion) in self.assertions.iter().enumerate() {
            if only(k) {
                text.push_str(&format!("(assert (! {assertion} :named a{k}))\n"));
            }
        }
        text
    }

    /// A whole script.
    pub fn script(&self) -> String {
        format!(
            "(set-logic ALL)\n{}{}(check-sat)\n",
            self.declarations(),
            self.assertions(|_| true)
        )
    }

    /// Does it speak about integers?
    pub fn has_ints(&self) -> bool {
        self.declarations.iter().any(|d| d.sort == Sort::Int)
    }

    /// Number of nodes.
    pub fn size(&self) -> usize {
        self.assertions.iter().map(Node::size).sum()
    }
}
