//! The meaning of names: declared constants and functions, definitions, sorts, in the levels that `push` and `pop`
//! make.

use crate::error::Feature;
use crate::sort::{Scalar, ScriptSort, Sorts, Template};
use crate::theory::applied::Template as Applications;
use crate::theory::{RealTerms, Tables};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::{Symbol, Term, Trace};

/// A term with its sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Typed {
    /// The term.
    pub term: Term,
    /// Its sort in the script.
    pub sort: ScriptSort,
}

impl Typed {
    pub(crate) fn bool(term: Term) -> Typed {
        Typed {
            term,
            sort: ScriptSort::BOOL,
        }
    }
}

/// A declared function with arguments: an array over all of them side by side.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredFunction {
    pub array: Term,
    pub params: Rc<[Scalar]>,
    pub result: Scalar,
}

/// A definition with parameters.
#[derive(Clone, Debug)]
pub(crate) struct Macro {
    /// Terms of the symbols that stand for the parameters in the body.
    pub params: Vec<Typed>,
    pub body: Typed,
    /// Applications in the body, which each use makes for itself.
    pub applications: Applications,
}

#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Value(Typed),
    Function(Rc<DeclaredFunction>),
    /// A function over integers, by its number in the table of applications.
    Applied(usize),
    Macro(Rc<Macro>),
    /// Something of a theory that is refused: so is every use.
    Refused(Feature),
}

#[derive(Clone, Debug)]
pub(crate) enum SortBinding {
    Declared(u32),
    Defined { params: usize, body: Template },
}

/// The object that has the value of a declared name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A symbol: an array for a function.
    Symbol(Symbol),
    /// An unknown among [`lra::Reals`].
    Real(linear::Var),
    /// A function over integers, by number: its values are those of its applications ([`crate::Reader::applications`]).
    Applied(usize),
}

/// The form of a declared name in a model.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The name.
    pub name: Rc<str>,
    /// Its meaning.
    pub meaning: Meaning,
    /// Sorts of the arguments; none for a constant.
    pub params: Rc<[ScriptSort]>,
    /// Its sort, or the function's result's.
    pub sort: ScriptSort,
}

/// A term with `:named`.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name.
    pub name: Rc<str>,
    /// The term.
    pub value: Typed,
}

enum Undo {
    Name(Rc<str>),
    Sort(Rc<str>),
}

/// Sizes of the tables when a level began.
pub(crate) struct Level {
    undo: usize,
    declarations: usize,
    named: usize,
    reals: lra::TableMark,
}

#[derive(Default)]
pub(crate) struct FunctionTable {
    /// The innermost binding is the last one.
    names: FxHashMap<Rc<str>, Vec<Binding>>,
    sorts: FxHashMap<Rc<str>, SortBinding>,
    pub sort_names: Sorts,
    undo: Vec<Undo>,
    levels: Vec<Level>,
    pub declarations: Vec<Declaration>,
    pub named: Vec<Named>,
    /// Names of `let` variables in scope.
    scope: Vec<Rc<str>>,
    /// Keep declarations over `pop` and `reset-assertions`?
    pub global: bool,
    pub theories: Tables,
}

impl FunctionTable {
    /// The innermost meaning of a name.
    pub fn lookup(&self, name: &str) -> Option<&Binding> {
        self.names.get(name)?.last()
    }

    pub fn lookup_sort(&self, name: &str) -> Option<&SortBinding> {
        self.sorts.get(name)
    }

    /// Gives a name a meaning at the current level.
    pub fn declare(&mut self, name: &str, binding: Binding) -> Rc<str> {
        let name = self.bind(name, binding);
        self.undo.push(Undo::Name(name.clone()));
        name
    }

    pub fn declare_sort(&mut self, name: &str, binding: SortBinding) {
        let name: Rc<str> = name.into();
        self.sorts.insert(name.clone(), binding);
        self.undo.push(Undo::Sort(name));
    }

    fn bind(&mut self, name: &str, binding: Binding) -> Rc<str> {
        if let Some((key, _)) = self.names.get_key_value(name) {
            let key = key.clone();
            self.names.entry(key.clone()).or_default().push(binding);
            return key;
        }
        let key: Rc<str> = name.into();
        self.names.insert(key.clone(), vec![binding]);
        key
    }

    /// Brings a variable into scope.
    pub fn enter(&mut self, name: &str, value: Typed) {
        let name = self.bind(name, Binding::Value(value));
        self.scope.push(name);
    }

    /// Takes the variables that came last out of scope.
    pub fn leave(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(name) = self.scope.pop() {
                self.unbind(&name);
            }
        }
    }

    fn unbind(&mut self, name: &Rc<str>) {
        if let Some(bindings) = self.names.get_mut(name) {
            bindings.pop();
            if bindings.is_empty() {
                self.names.remove(name);
            }
        }
    }

    /// The sizes now.
    pub fn mark(&self) -> Level {
        Level {
            undo: self.undo.len(),
            declarations: self.declarations.len(),
            named: self.named.len(),
            reals: self.theories.reals.reals.mark(),
        }
    }

    pub fn push(&mut self) {
        let level = self.mark();
        self.levels.push(level);
    }

    /// Takes back all that was declared since.
    pub fn roll_back(&mut self, to: &Level) {
        self.leave(self.scope.len());
        self.named.truncate(to.named);
        self.declarations.truncate(to.declarations);
        self.theories.reals.reals.go_back(to.reals);
        for undo in self.undo.split_off(to.undo) {
            match undo {
                Undo::Name(name) => self.unbind(&name),
                Undo::Sort(name) => {
                    self.sorts.remove(&name);
                }
            }
        }
    }

    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Ends the last level. With global declarations only names of assertions go.
    pub fn pop(&mut self) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        if self.global {
            self.named.truncate(level.named);
        } else {
            self.roll_back(&level);
        }
    }

    /// Ends all levels and forgets the declarations, unless they are global.
    pub fn reset_assertions(&mut self) {
        self.levels.clear();
        self.named.clear();
        if !self.global {
            self.theories.reals = RealTerms::default();
            *self = FunctionTable {
                sort_names: std::mem::take(&mut self.sort_names),
                theories: std::mem::take(&mut self.theories),
                ..FunctionTable::default()
            };
        }
    }
}

impl Trace for FunctionTable {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        for binding in self.names.values_mut().flatten() {
            match binding {
                Binding::Value(value) => visit(&mut value.term),
                Binding::Function(function) => {
                    let mut array = function.array;
                    visit(&mut array);
                    if array != function.array {
                        *function = Rc::new(DeclaredFunction {
                            array,
                            ..(**function).clone()
                        });
                    }
                }
                Binding::Macro(definition) => {
                    let mut moved = (**definition).clone();
                    visit(&mut moved.body.term);
                    moved.params.iter_mut().for_each(|p| visit(&mut p.term));
                    moved.applications.trace(visit);
                    *definition = Rc::new(moved);
                }
                Binding::Applied(_) | Binding::Refused(_) => {}
            }
        }
        self.named.iter_mut().for_each(|n| visit(&mut n.value.term));
        self.theories.open.trace(visit);
        self.theories.applications.trace(visit);
        self.theories.reals.reals.trace(visit);
    }
}
