//! Terms: a stack of open constructs and a stack of finished arguments instead of recursion, so
//! that nesting is bounded by memory only.

use crate::error::{Error, ErrorKind, Feature};
use crate::lexer::{Token, TokenKind, shortened};
use crate::reader::Reader;
use crate::sort::{Scalar, ScriptSort};
use crate::table::{Binding, DeclaredFunction, Macro, Named, Typed};
use crate::theory::{self, Builtin, arrays, bits, floats, held};
use std::io::Read;
use std::rc::Rc;
use term::{BigInt, Pool, Substitution, substitute};

/// The head of an application.
enum Head {
    Builtin(Builtin, Vec<u32>),
    Function(Rc<DeclaredFunction>),
    Applied(usize),
    Macro(Rc<Macro>),
    ConstantArray(ScriptSort),
}

/// An open construct.
enum OpenTerm {
    /// An application whose arguments begin at a height of the stack of values.
    Apply {
        head: Head,
        first: usize,
        at: crate::Position,
    },
    /// The bindings of a `let`, the value of the last one is due.
    Bindings {
        done: Vec<(String, Typed)>,
        name: String,
    },
    /// The body of a `let` with this many variables.
    Body(usize),
    /// `(! …`, the term is due.
    Annotated,
}

/// The construct after an opening parenthesis.
enum Opened {
    /// A construct whose first part is due.
    OpenTerm(OpenTerm),
    /// A whole term, like `(_ bv5 8)`.
    Value(Typed),
}

/// A term and the name that `:named` gave to the whole of it.
type NamedTerm = (Typed, Option<Rc<str>>);

impl<R: Read> Reader<R> {
    /// Reads a term. Gives with it the name that `:named` gave to the whole of it.
    pub(crate) fn named_term(&mut self, pool: &mut Pool) -> Result<NamedTerm, Error> {
        let mut frames: Vec<OpenTerm> = Vec::new();
        let mut values: Vec<Typed> = Vec::new();
        loop {
            let token = self.lexer.next()?;
            let value = match token.kind {
                TokenKind::Open => match self.open(pool, values.len(), token)? {
                    Opened::OpenTerm(frame) => {
                        frames.push(frame);
                        continue;
                    }
                    Opened::Value(value) => value,
                },
                TokenKind::Close => match frames.pop() {
                    Some(OpenTerm::Apply { head, first, at }) => {
                        let value = self.apply(pool, &head, &values[first..]);
                        values.truncate(first);
                        value.map_err(|kind| located(at, kind))?
                    }
                    _ => return Err(Error::malformed(token.at, "a term is missing")),
                },
                _ => self.atom(pool, token)?,
            };
            if let Some(done) = self.deliver(pool, &mut frames, &mut values, value)? {
                return Ok(done);
            }
        }
    }

    /// Reads a term.
    pub(crate) fn term(&mut self, pool: &mut Pool) -> Result<Typed, Error> {
        Ok(self.named_term(pool)?.0)
    }

    /// Hands a finished term to the innermost construct, which may be finished by it, too. Gives
    /// the whole term when no construct is open.
    fn deliver(
        &mut self,
        pool: &mut Pool,
        frames: &mut Vec<OpenTerm>,
        values: &mut Vec<Typed>,
        mut value: Typed,
    ) -> Result<Option<NamedTerm>, Error> {
        let mut name = None;
        loop {
            match frames.last_mut() {
                None => return Ok(Some((value, name))),
                Some(OpenTerm::Apply { .. }) => {
                    values.push(value);
                    return Ok(None);
                }
                Some(OpenTerm::Bindings { done, name }) => {
                    done.push((std::mem::take(name), value));
                    self.close()?;
                    let token = self.lexer.next()?;
                    match token.kind {
                        TokenKind::Open => *name = self.symbol()?,
                        TokenKind::Close => {
                            let done = std::mem::take(done);
                            let count = done.len();
                            for (variable, value) in done {
                                self.table.enter(&variable, value);
                            }
                            frames.pop();
                            frames.push(OpenTerm::Body(count));
                        }
                        _ => return Err(self.unexpected(token, "'(' or ')'")),
                    }
                    return Ok(None);
                }
                Some(OpenTerm::Body(count)) => {
                    self.table.leave(*count);
                    frames.pop();
                    self.close()?;
                    name = None;
                }
                Some(OpenTerm::Annotated) => {
                    frames.pop();
                    name = self.attributes(pool, &mut value)?;
                }
            }
        }
    }

    /// The attributes of an annotated term, with the closing parenthesis.
    fn attributes(&mut self, pool: &mut Pool, value: &mut Typed) -> Result<Option<Rc<str>>, Error> {
        let mut name = None;
        let mut any = false;
        loop {
            let token = self.lexer.next()?;
            match token.kind {
                TokenKind::Close if any => return Ok(name),
                TokenKind::Keyword if self.lexer.text() == ":named" => {
                    let (given, at) = self.new_symbol()?;
                    if self.table.lookup(&given).is_some() {
                        let message = format!("'{}' is declared already", shortened(&given));
                        return Err(Error::malformed(at, message));
                    }
                    let given = self.table.declare(&given, Binding::Value(*value));
                    self.table.named.push(Named {
                        name: given.clone(),
                        value: *value,
                    });
                    name = Some(given);
                }
                TokenKind::Keyword if self.is_log && self.lexer.text() == ":polypath-access" => {
                    let note = self.symbol()?;
                    value.term = arrays::accessed(pool, value.term, &note)
                        .ok_or_else(|| Error::malformed(token.at, "not bounds of an access"))?;
                }
                TokenKind::Keyword => {
                    let next = self.lexer.next()?;
                    match next.kind {
                        TokenKind::Open => self.skip_rest()?,
                        TokenKind::Keyword | TokenKind::Close => self.lexer.unread(next),
                        TokenKind::End => return Err(self.unexpected(next, "an attribute")),
                        _ => {}
                    }
                }
                _ => return Err(self.unexpected(token, "an attribute")),
            }
            any = true;
        }
    }

    /// Reads behind an opening parenthesis.
    fn open(&mut self, pool: &mut Pool, height: usize, open: Token) -> Result<Opened, Error> {
        let token = self.lexer.next()?;
        if token.kind == TokenKind::Open {
            let head = self.qualified(pool, token)?;
            return match head {
                Qualified::Head(head) => Ok(apply_frame(head, height, open)),
                Qualified::Value(_) => {
                    Err(Error::malformed(token.at, "a constant has no arguments"))
                }
            };
        }
        if !matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
            return Err(self.unexpected(token, "a function"));
        }
        if token.kind == TokenKind::Symbol {
            match self.lexer.text() {
                "let" => {
                    self.expect(TokenKind::Open, "'('")?;
                    let token = self.lexer.next()?;
                    if token.kind != TokenKind::Open {
                        return Err(self.unexpected(token, "'(' and a binding"));
                    }
                    let name = self.symbol()?;
                    return Ok(Opened::OpenTerm(OpenTerm::Bindings { done: vec![], name }));
                }
                "!" => return Ok(Opened::OpenTerm(OpenTerm::Annotated)),
                "_" | "as" => {
                    return match self.indexed_or_ascribed(pool)? {
                        Qualified::Value(value) => Ok(Opened::Value(value)),
                        Qualified::Head(_) => {
                            Err(Error::malformed(open.at, "a function without arguments"))
                        }
                    };
                }
                _ => {}
            }
        }
        let head = self.head(token)?;
        Ok(apply_frame(head, height, open))
    }

    /// The function that a symbol names.
    fn head(&mut self, token: Token) -> Result<Head, Error> {
        let name = self.lexer.text();
        match self.table.lookup(name) {
            Some(Binding::Function(function)) => return Ok(Head::Function(function.clone())),
            Some(Binding::Applied(function)) => return Ok(Head::Applied(*function)),
            Some(Binding::Macro(definition)) => return Ok(Head::Macro(definition.clone())),
            Some(Binding::Refused(feature)) => return Err(Error::unsupported(token.at, *feature)),
            Some(Binding::Value(_)) => {
                let message = format!("'{}' is no function", shortened(name));
                return Err(Error::malformed(token.at, message));
            }
            None => {}
        }
        if let Some(builtin) = Builtin::of_name(name) {
            theory::check_indices(builtin, &[]).map_err(|kind| located(token.at, kind))?;
            return Ok(Head::Builtin(builtin, vec![]));
        }
        Err(self.unknown(token))
    }

    fn unknown(&self, token: Token) -> Error {
        let name = self.lexer.text();
        match theory::refused(name) {
            Some(feature) => Error::unsupported(token.at, feature),
            None => Error::malformed(token.at, format!("'{}' is not declared", shortened(name))),
        }
    }

    /// `((_ f i) …` or `((as f S) …`: what stands between the inner parentheses.
    fn qualified(&mut self, pool: &mut Pool, open: Token) -> Result<Qualified, Error> {
        let token = self.lexer.next()?;
        if token.kind == TokenKind::Symbol && matches!(self.lexer.text(), "_" | "as") {
            return self.indexed_or_ascribed(pool);
        }
        Err(self.unexpected(open, "a function"))
    }

    /// Behind `(_` or `(as`, to the closing parenthesis.
    fn indexed_or_ascribed(&mut self, pool: &mut Pool) -> Result<Qualified, Error> {
        let ascribed = self.lexer.text() == "as";
        let token = self.lexer.next()?;
        let mut at = token.at;
        let mut indices = Vec::new();
        let name;
        if ascribed && token.kind == TokenKind::Open {
            // (as (_ f i) S)
            self.expect_word("_")?;
            at = self.lexer.next()?.at;
            name = self.lexer.text().to_string();
            indices = self.indices()?;
        } else if matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
            name = self.lexer.text().to_string();
        } else {
            return Err(self.unexpected(token, "a symbol"));
        }
        if ascribed {
            let sort = self.sort()?;
            self.close()?;
            if name == "const" {
                return Ok(Qualified::Head(Head::ConstantArray(sort)));
            }
            return self.plain(pool, &name, &indices, at, Some(sort));
        }
        let indices = self.indices()?;
        self.plain(pool, &name, &indices, at, None)
    }

    /// A symbol with indices, and its annotated sort.
    fn plain(
        &mut self,
        pool: &mut Pool,
        name: &str,
        indices: &[u32],
        at: crate::Position,
        sort: Option<ScriptSort>,
    ) -> Result<Qualified, Error> {
        let error = |kind| located(at, kind);
        let bound = if indices.is_empty() {
            self.table.lookup(name)
        } else {
            None
        };
        let found = match bound {
            Some(Binding::Value(value)) => Qualified::Value(*value),
            Some(Binding::Function(function)) => Qualified::Head(Head::Function(function.clone())),
            Some(Binding::Applied(function)) => Qualified::Head(Head::Applied(*function)),
            Some(Binding::Macro(definition)) => Qualified::Head(Head::Macro(definition.clone())),
            Some(Binding::Refused(feature)) => return Err(Error::unsupported(at, *feature)),
            None => {
                if let Some(builtin) = Builtin::of_name(name) {
                    theory::check_indices(builtin, indices).map_err(error)?;
                    Qualified::Head(Head::Builtin(builtin, indices.to_vec()))
                } else if let (Some(number), [width]) = (name.strip_prefix("bv"), indices) {
                    Qualified::Value(bits::numbered(pool, number, *width).map_err(error)?)
                } else if let Some(value) = floats::named(pool, name, indices) {
                    Qualified::Value(value.map_err(error)?)
                } else if indices.is_empty() && theory::is_constant(name) {
                    let value = theory::constant(pool, name);
                    Qualified::Value(value.expect("it is a constant"))
                } else if let Some(feature) = theory::refused(name) {
                    return Err(Error::unsupported(at, feature));
                } else {
                    let message = format!("'{}' is not declared", shortened(name));
                    return Err(Error::malformed(at, message));
                }
            }
        };
        if let (Some(sort), Qualified::Value(value)) = (sort, &found)
            && value.sort != sort
        {
            let (said, is) = (self.sorts().name(sort), self.sorts().name(value.sort));
            let message = format!("'{}' is of sort {is}, not {said}", shortened(name));
            return Err(Error::malformed(at, message));
        }
        Ok(found)
    }

    /// Numerals up to a closing parenthesis.
    fn indices(&mut self) -> Result<Vec<u32>, Error> {
        let mut indices = Vec::new();
        loop {
            let token = self.lexer.next()?;
            match token.kind {
                TokenKind::Close => return Ok(indices),
                TokenKind::Numeral => indices.push(self.small_number(token)?),
                // Characters have indices of other kinds.
                TokenKind::Hex | TokenKind::Symbol => {
                    return Err(Error::unsupported(
                        token.at,
                        Feature("indices other than numerals"),
                    ));
                }
                _ => return Err(self.unexpected(token, "an index")),
            }
        }
    }

    /// A term of one token.
    fn atom(&mut self, pool: &mut Pool, token: Token) -> Result<Typed, Error> {
        let error = |kind| located(token.at, kind);
        match token.kind {
            TokenKind::Symbol | TokenKind::Quoted => {
                let name = self.lexer.text();
                match self.table.lookup(name) {
                    Some(Binding::Value(value)) => return Ok(*value),
                    Some(Binding::Function(_) | Binding::Applied(_) | Binding::Macro(_)) => {
                        let message =
                            format!("the function '{}' has no arguments", shortened(name));
                        return Err(Error::malformed(token.at, message));
                    }
                    Some(Binding::Refused(feature)) => {
                        return Err(Error::unsupported(token.at, *feature));
                    }
                    None => {}
                }
                match theory::constant(pool, name) {
                    Some(value) => Ok(value),
                    None if Builtin::of_name(name).is_some() => {
                        let message = format!("the function '{name}' has no arguments");
                        Err(Error::malformed(token.at, message))
                    }
                    None => Err(self.unknown(token)),
                }
            }
            TokenKind::Hex => bits::literal(pool, self.lexer.text(), 4).map_err(error),
            TokenKind::Binary => bits::literal(pool, self.lexer.text(), 1).map_err(error),
            TokenKind::Numeral => {
                let value: BigInt = self.lexer.text().parse().expect("the lexer saw digits");
                let term = pool.int(&value);
                Ok(Typed {
                    term,
                    sort: ScriptSort::Int,
                })
            }
            TokenKind::Decimal => {
                let reals = &mut self.table.theories.reals;
                reals.decimal(pool, self.lexer.text()).map_err(error)
            }
            TokenKind::String => Err(Error::unsupported(token.at, Feature("strings"))),
            _ => Err(self.unexpected(token, "a term")),
        }
    }

    fn apply(&mut self, pool: &mut Pool, head: &Head, args: &[Typed]) -> Result<Typed, ErrorKind> {
        let sorts = &self.table.sort_names;
        match head {
            Head::Builtin(builtin, indices) => {
                let tables = &mut self.table.theories;
                if *builtin == Builtin::Store
                    && let Some(ScriptSort::Array { index, .. }) = args.first().map(|a| a.sort)
                {
                    self.sizes_matter |= tables.sizes.store(index);
                }
                theory::apply(pool, sorts, tables, *builtin, indices, args)
            }
            Head::Function(function) => arrays::call(pool, sorts, function, args),
            Head::Applied(function) => {
                let theory::Tables {
                    open, applications, ..
                } = &mut self.table.theories;
                applications.call(pool, sorts, open, *function, args)
            }
            Head::ConstantArray(sort) => {
                if let ScriptSort::Array { index, .. } = sort {
                    self.sizes_matter |= self.table.theories.sizes.constant(*index);
                }
                arrays::constant(pool, sorts, *sort, args)
            }
            Head::Macro(definition) => {
                if args.len() != definition.params.len() {
                    let (want, have) = (definition.params.len(), args.len());
                    let message = format!("the function has {want} arguments, not {have}");
                    return Err(ErrorKind::Malformed(message));
                }
                let mut map = Substitution::default();
                for (param, arg) in definition.params.iter().zip(args) {
                    if param.sort != arg.sort {
                        let (want, have) = (sorts.name(param.sort), sorts.name(arg.sort));
                        let message = format!("{want} expected, found {have}");
                        return Err(ErrorKind::Malformed(message));
                    }
                    match arg.sort {
                        ScriptSort::Scalar(sort) => {
                            map.insert(param.term, held::bits(pool, sort, arg.term))
                        }
                        _ => map.insert(param.term, arg.term),
                    };
                }
                let theory::Tables {
                    open,
                    applications,
                    sizes,
                    ..
                } = &mut self.table.theories;
                self.sizes_matter |= sizes.copy();
                let inner = &definition.applications;
                applications.instantiate(pool, sorts, open, inner, &mut map)?;
                let term = substitute(pool, definition.body.term, &map);
                Ok(Typed {
                    term,
                    sort: definition.body.sort,
                })
            }
        }
    }

    /// A condition.
    pub(crate) fn condition(&self, value: Typed, at: crate::Position) -> Result<Typed, Error> {
        if value.sort == ScriptSort::Scalar(Scalar::Bool) {
            return Ok(value);
        }
        let message = format!("Bool expected, found {}", self.sorts().name(value.sort));
        Err(Error::malformed(at, message))
    }
}

enum Qualified {
    Head(Head),
    Value(Typed),
}

fn apply_frame(head: Head, first: usize, open: Token) -> Opened {
    Opened::OpenTerm(OpenTerm::Apply {
        head,
        first,
        at: open.at,
    })
}

pub(crate) fn located(at: crate::Position, kind: ErrorKind) -> Error {
    Error {
        at,
        kind,
        lost_assertion: false,
    }
}
