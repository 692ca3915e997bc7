//! Commands, one at a time. A command that cannot be read gives an error and is passed; the
//! tables are as before it.

use crate::command::{Assertion, Assumption, Command};
use crate::error::{Error, ErrorKind, Feature, Position};
use crate::lexer::{Lexer, Token, TokenKind, shortened};
use crate::sort::{Scalar, ScriptSort, Sorts, Template, array};
use crate::table::{
    Binding, Declaration, DeclaredFunction, FunctionTable, Macro, Meaning, Named, SortBinding,
    Typed,
};
use crate::terms::located;
use crate::theory::applied::{ApplicationTable, Product, is_signature};
use crate::theory::{self, Builtin, arrays, bits, floats, held};
use linear::Affine;
use lra::Reals;
use std::io::Read;
use std::rc::Rc;
use term::{FloatFormat, Pool, Term, Trace};

/// Deepest nesting of a sort; those that are supported nest twice.
const DEEPEST_SORT: usize = 200;
/// Most levels of one `push`.
const MOST_LEVELS: u32 = 1_000_000;

/// Sorts of the theories.
const KNOWN_SORTS: &[&str] = &[
    "Bool",
    "Int",
    "Real",
    "Array",
    "BitVec",
    "FloatingPoint",
    "Float16",
    "Float32",
    "Float64",
    "Float128",
    "RoundingMode",
];

/// Reads a script.
pub struct Reader<R> {
    pub(crate) lexer: Lexer<R>,
    pub(crate) table: FunctionTable,
    keep_text: bool,
    pub(crate) is_log: bool,
    pub(crate) sizes_matter: bool,
    exited: bool,
    /// The declaration that the command would have made, had it not used a refused feature.
    refused: Option<(String, Feature)>,
}

impl<R: Read> Reader<R> {
    /// A reader of a script.
    pub fn new(input: R) -> Reader<R> {
        Reader {
            lexer: Lexer::new(input),
            table: FunctionTable::default(),
            keep_text: false,
            is_log: false,
            sizes_matter: false,
            exited: false,
            refused: None,
        }
    }

    /// Keep the text of assertions from now on?
    pub fn keep_text(&mut self, keep: bool) {
        self.keep_text = keep;
    }

    /// Is the script a log of the executor's queries? Then its annotations of array accesses (`:polypath-access`) are
    /// believed, and chains of constant stores are constant arrays from the start, as they were when the query was
    /// asked.
    pub fn trust_log(&mut self, is_log: bool) {
        self.is_log = is_log;
    }

    /// Do declarations outlive `pop`?
    pub fn global_declarations(&mut self, global: bool) {
        self.table.global = global;
    }

    /// Was there a constant array over a declared sort since this was last asked? What it says of all elements may hold when there are few
    /// (`(= (store ((as const A) true) e false) ((as const A) false))`), but a declared sort is read as one
    /// of 2^32: `unsat` proves nothing then. The same goes for rounding modes and floats, which are fewer than the
    /// bit-vectors that hold them, where there are stores enough for all of them.
    pub fn take_sizes_matter(&mut self) -> bool {
        std::mem::take(&mut self.sizes_matter)
    }

    /// Conditions that hold in every model of what was read since this was last asked: they define symbols that the
    /// terms have and the script has not. They outlive `pop`.
    pub fn take_axioms(&mut self) -> Vec<Term> {
        let theories = &mut self.table.theories;
        let mut axioms = theories.open.take_axioms();
        axioms.extend(theories.applications.take_axioms());
        axioms
    }

    /// The products of integers that are not constant. Each is a symbol: no axiom says its value.
    pub fn products(&self) -> impl Iterator<Item = Product> + '_ {
        self.table.theories.applications.products()
    }

    /// The applications of functions over integers and the products of integers, in the order in which they need each other.
    pub fn applications(&self) -> &ApplicationTable {
        &self.table.theories.applications
    }

    /// The same of what was read of reals. They go with the level that they came on, unless declarations are global.
    pub fn take_real_axioms(&mut self) -> Vec<Term> {
        self.reals_mut().take_axioms()
    }

    /// The reals that were read.
    pub fn reals(&self) -> &Reals {
        &self.table.theories.reals.reals
    }

    /// The same, for the theory that decides them.
    pub fn reals_mut(&mut self) -> &mut Reals {
        &mut self.table.theories.reals.reals
    }

    /// A term of sort Real as a linear form over unknowns of [`Reader::reals`].
    pub fn real(&self, pool: &Pool, value: Typed) -> Option<Affine> {
        let theories = &self.table.theories;
        theories.reals.form(pool, self.sorts(), value).ok()
    }

    /// The declared sorts.
    pub fn sorts(&self) -> &Sorts {
        &self.table.sort_names
    }

    /// The declared constants and functions, oldest first.
    pub fn declarations(&self) -> &[Declaration] {
        &self.table.declarations
    }

    /// The terms with names, oldest first.
    pub fn named(&self) -> &[Named] {
        &self.table.named
    }

    /// The next command, `None` at the end of the script. After an error the reader stands behind
    /// the command.
    pub fn next(&mut self, pool: &mut Pool) -> Result<Option<Command>, Error> {
        if self.exited {
            return Ok(None);
        }
        let before = self.table.mark();
        let mut asserts = false;
        let result = self.command(pool, &mut asserts);
        if let Ok(command) = &result {
            self.exited = matches!(command, None | Some(Command::Exit));
            return result;
        }
        self.lexer.recover();
        self.table.roll_back(&before);
        if let Some((name, feature)) = self.refused.take() {
            // Uses of the name are refused for the same reason.
            self.table.declare(&name, Binding::Refused(feature));
        }
        result.map_err(|error| Error {
            lost_assertion: asserts,
            ..error
        })
    }

    fn command(&mut self, pool: &mut Pool, asserts: &mut bool) -> Result<Option<Command>, Error> {
        let open = self.lexer.next()?;
        match open.kind {
            TokenKind::End => return Ok(None),
            TokenKind::Open => {}
            _ => return Err(self.unexpected(open, "'(' and a command")),
        }
        let token = self.lexer.next()?;
        if token.kind != TokenKind::Symbol {
            return Err(self.unexpected(token, "a command"));
        }
        let name = self.lexer.text().to_string();
        *asserts = name == "assert";
        let command = match &name[..] {
            "set-logic" => Command::SetLogic(self.symbol()?),
            "set-option" => {
                let (keyword, value) = self.attribute()?;
                Command::SetOption(keyword, value)
            }
            "set-info" => {
                let (keyword, value) = self.attribute()?;
                Command::SetInfo(keyword, value)
            }
            "declare-sort" => self.declare_sort()?,
            "define-sort" => self.define_sort()?,
            "declare-const" => self.declare(pool, false)?,
            "declare-fun" => self.declare(pool, true)?,
            "define-fun" => self.define(pool, true)?,
            "define-const" => self.define(pool, false)?,
            "assert" => return self.assertion(pool).map(Some),
            "check-sat" => Command::CheckSat,
            "check-sat-assuming" => self.assumptions(pool)?,
            "push" | "pop" => return self.levels(name == "push").map(Some),
            "get-model" => Command::GetModel,
            "get-value" => self.values(pool)?,
            "get-unsat-core" => Command::GetUnsatCore,
            "get-unsat-assumptions" => Command::GetUnsatAssumptions,
            "get-info" => Command::GetInfo(self.keyword()?),
            "get-option" => Command::GetOption(self.keyword()?),
            "get-assertions" => Command::GetAssertions,
            "get-assignment" => Command::GetAssignment,
            "echo" => {
                self.expect(TokenKind::String, "a string")?;
                Command::Echo(self.lexer.text().to_string())
            }
            "reset" | "reset-assertions" => return self.reset(name == "reset").map(Some),
            "exit" => Command::Exit,
            _ => return Err(refused_command(&name, token.at)),
        };
        self.close()?;
        Ok(Some(command))
    }

    fn reset(&mut self, all: bool) -> Result<Command, Error> {
        self.close()?;
        if !all {
            self.table.reset_assertions();
            return Ok(Command::ResetAssertions);
        }
        self.table = FunctionTable::default();
        self.keep_text = false;
        Ok(Command::Reset)
    }

    fn levels(&mut self, push: bool) -> Result<Command, Error> {
        let token = self.lexer.next()?;
        let mut count = 1;
        match token.kind {
            TokenKind::Numeral => {
                count = self.small_number(token)?;
                self.close()?;
            }
            TokenKind::Close => {}
            _ => return Err(self.unexpected(token, "a number")),
        }
        if push {
            if count > MOST_LEVELS {
                return Err(Error::malformed(
                    token.at,
                    format!("more than {MOST_LEVELS} levels"),
                ));
            }
            (0..count).for_each(|_| self.table.push());
            return Ok(Command::Push(count));
        }
        let have = self.table.levels();
        if count as usize > have {
            let message = format!("{count} levels to pop, but {have} are there");
            return Err(Error::malformed(token.at, message));
        }
        (0..count).for_each(|_| self.table.pop());
        Ok(Command::Pop(count))
    }

    fn assertion(&mut self, pool: &mut Pool) -> Result<Command, Error> {
        if self.keep_text {
            self.lexer.record();
        }
        let at = self.here()?;
        let (value, name) = self.named_term(pool)?;
        let text = self.keep_text.then(|| self.lexer.recorded().into());
        let value = self.condition(value, at)?;
        self.close()?;
        Ok(Command::Assert(Assertion {
            term: value.term,
            name,
            text,
        }))
    }

    fn assumptions(&mut self, pool: &mut Pool) -> Result<Command, Error> {
        self.expect(TokenKind::Open, "'('")?;
        let mut assumptions = Vec::new();
        while !self.at_close()? {
            let (text, value, at) = self.texted(pool)?;
            let value = self.condition(value, at)?;
            assumptions.push(Assumption {
                term: value.term,
                text: text.into(),
            });
        }
        Ok(Command::CheckSatAssuming(assumptions))
    }

    fn values(&mut self, pool: &mut Pool) -> Result<Command, Error> {
        let open = self.lexer.next()?;
        if open.kind != TokenKind::Open {
            return Err(self.unexpected(open, "'(' and terms"));
        }
        let mut terms = Vec::new();
        while !self.at_close()? {
            let (axioms, reals) = (self.axioms(), self.reals().len());
            let (text, value, at) = self.texted(pool)?;
            if self.reals().len() > reals {
                let feature =
                    "values of comparisons and conversions of reals that no assertion has";
                return Err(Error::unsupported(at, Feature(feature)));
            }
            if self.axioms() > axioms {
                let feature = "values of new equalities between arrays over floats";
                return Err(Error::unsupported(at, Feature(feature)));
            }
            terms.push((text, value));
        }
        if terms.is_empty() {
            return Err(Error::malformed(open.at, "no terms"));
        }
        Ok(Command::GetValue(terms))
    }

    /// Number of axioms so far.
    fn axioms(&self) -> usize {
        self.table.theories.open.demanded()
    }

    /// A term with its text and place.
    fn texted(&mut self, pool: &mut Pool) -> Result<(String, Typed, Position), Error> {
        // The first token may have been looked at: it is not in the record any more.
        let first = self.lexer.next()?;
        self.lexer.unread(first);
        self.lexer.record_from(first.kind);
        let value = self.term(pool)?;
        Ok((self.lexer.recorded(), value, first.at))
    }

    // ---- declarations ----------------------------------------------------------------------

    fn declare_sort(&mut self) -> Result<Command, Error> {
        let (name, at) = self.new_sort()?;
        let token = self.lexer.next()?;
        let arity = match token.kind {
            TokenKind::Numeral => self.small_number(token)?,
            TokenKind::Close => {
                self.lexer.unread(token);
                0
            }
            _ => return Err(self.unexpected(token, "the number of parameters")),
        };
        if arity > 0 {
            let feature = Feature("declared sorts with parameters");
            return Err(Error::unsupported(at, feature));
        }
        let names = &mut self.table.sort_names.names;
        names.push(name.as_str().into());
        let number = names.len() as u32 - 1;
        self.table
            .declare_sort(&name, SortBinding::Declared(number));
        Ok(Command::Declared)
    }

    fn define_sort(&mut self) -> Result<Command, Error> {
        let (name, _) = self.new_sort()?;
        self.expect(TokenKind::Open, "'('")?;
        let mut params = Vec::new();
        while !self.at_close()? {
            params.push(self.symbol()?);
        }
        let binding = SortBinding::Defined {
            params: params.len(),
            body: self.template(&params, 0)?,
        };
        self.table.declare_sort(&name, binding);
        Ok(Command::Declared)
    }

    fn declare(&mut self, pool: &mut Pool, with_params: bool) -> Result<Command, Error> {
        let (name, at) = self.new_name()?;
        let signature = self.signature(with_params, at);
        let (params, sort) = signature.map_err(|error| self.refuse(&name, error))?;
        let params: Rc<[ScriptSort]> = params.into();
        if params.is_empty() {
            if sort == ScriptSort::Real {
                let (value, var) = self.table.theories.reals.declare(pool);
                let name = self.table.declare(&name, Binding::Value(value));
                self.table.declarations.push(Declaration {
                    name,
                    meaning: Meaning::Real(var),
                    params,
                    sort,
                });
                return Ok(Command::Declared);
            }
            let symbol = pool.new_symbol(&name, sort.of_symbols());
            let term = pool.symbol_term(symbol);
            let value = match sort {
                ScriptSort::Scalar(sort) => held::value(pool, sort, term),
                _ => Typed { term, sort },
            };
            let name = self.table.declare(&name, Binding::Value(value));
            self.table.declarations.push(Declaration {
                name,
                meaning: Meaning::Symbol(symbol),
                params,
                sort,
            });
            return Ok(Command::Declared);
        }
        if is_signature(&params, sort) {
            let applications = &mut self.table.theories.applications;
            let number = applications.declare(params.clone(), sort);
            let name = self.table.declare(&name, Binding::Applied(number));
            self.table.declarations.push(Declaration {
                name,
                meaning: Meaning::Applied(number),
                params,
                sort,
            });
            return Ok(Command::Declared);
        }
        let scalars: Rc<[Scalar]> = params.iter().filter_map(|sort| sort.scalar()).collect();
        let index = scalars
            .iter()
            .map(|param| param.width() as u64)
            .sum::<u64>();
        let result = sort.scalar().expect("checked with the signature");
        if index > term::Sort::MAX_INDEX as u64 || result.width() > term::Sort::MAX_ELEM {
            let error = Error::unsupported(at, Feature("functions this wide"));
            return Err(self.refuse(&name, error));
        }
        let array = term::Sort::Array {
            index: index as u32,
            elem: result.width(),
        };
        let symbol = pool.new_symbol(&name, array);
        let array = pool.symbol_term(symbol);
        let function = DeclaredFunction {
            array,
            params: scalars,
            result,
        };
        let name = self
            .table
            .declare(&name, Binding::Function(Rc::new(function)));
        self.table.declarations.push(Declaration {
            name,
            meaning: Meaning::Symbol(symbol),
            params,
            sort,
        });
        Ok(Command::Declared)
    }

    /// Sorts of arguments and result; functions are over plain sorts and integers.
    fn signature(
        &mut self,
        with_params: bool,
        at: Position,
    ) -> Result<(Vec<ScriptSort>, ScriptSort), Error> {
        let mut params = Vec::new();
        if with_params {
            self.expect(TokenKind::Open, "'('")?;
            while !self.at_close()? {
                params.push(self.sort()?);
            }
        }
        let result = self.sort()?;
        let is_plain = |sort: &ScriptSort| sort.scalar().is_some();
        let are_plain = params.iter().all(is_plain) && is_plain(&result);
        if params.is_empty() || are_plain || is_signature(&params, result) {
            return Ok((params, result));
        }
        let feature = Feature("functions over arrays or reals");
        Err(Error::unsupported(at, feature))
    }

    fn define(&mut self, pool: &mut Pool, with_params: bool) -> Result<Command, Error> {
        let (name, at) = self.new_name()?;
        let binding = self.definition(pool, with_params);
        let binding = binding.map_err(|error| self.refuse(&name, error))?;
        if self.table.lookup(&name).is_some() {
            let message = format!("'{}' is declared already", shortened(&name));
            return Err(Error::malformed(at, message));
        }
        self.table.declare(&name, binding);
        Ok(Command::Declared)
    }

    /// Notes that a name cannot be used, when the error is about a refused feature.
    fn refuse(&mut self, name: &str, error: Error) -> Error {
        self.refused = error.feature().map(|feature| (name.to_string(), feature));
        error
    }

    fn definition(&mut self, pool: &mut Pool, with_params: bool) -> Result<Binding, Error> {
        let mut names: Vec<String> = Vec::new();
        let mut params: Vec<Typed> = Vec::new();
        if with_params {
            self.expect(TokenKind::Open, "'('")?;
            while !self.at_close()? {
                self.expect(TokenKind::Open, "'(' and a parameter")?;
                let at = self.here()?;
                let name = self.symbol()?;
                if names.contains(&name) {
                    let message = format!("two parameters '{}'", shortened(&name));
                    return Err(Error::malformed(at, message));
                }
                let sort = self.sort()?;
                self.close()?;
                let symbol = pool.new_symbol(&name, sort.of_symbols());
                let term = pool.symbol_term(symbol);
                names.push(name);
                params.push(Typed { term, sort });
            }
        }
        let sort = self.sort()?;
        for (name, &param) in names.iter().zip(&params) {
            let value = match param.sort {
                ScriptSort::Scalar(sort) => held::value(pool, sort, param.term),
                _ => param,
            };
            self.table.enter(name, value);
        }
        let at = self.here()?;
        let (axioms, reals) = (self.axioms(), self.reals().len());
        let mark = self.table.theories.applications.mark();
        let mut body = self.term(pool)?;
        self.table.leave(params.len());
        if !params.is_empty() && self.reals().len() > reals {
            let feature = "functions defined by reals that are not constant";
            return Err(Error::unsupported(at, Feature(feature)));
        }
        if sort == ScriptSort::Real && body.sort == ScriptSort::Int {
            let FunctionTable {
                sort_names,
                theories,
                ..
            } = &mut self.table;
            let real = theories.reals.of_number(pool, sort_names, body);
            body = real.map_err(|kind| located(at, kind))?;
        }
        if !params.is_empty() && self.axioms() > axioms {
            let feature = "functions defined by equality of arrays over floats";
            return Err(Error::unsupported(at, Feature(feature)));
        }
        if body.sort != sort {
            let (want, have) = (self.sorts().name(sort), self.sorts().name(body.sort));
            return Err(Error::malformed(
                at,
                format!("{want} expected, found {have}"),
            ));
        }
        if params.is_empty() {
            let body = if self.is_log {
                arrays::content(pool, body)
            } else {
                body
            };
            return Ok(Binding::Value(body));
        }
        let applications = self.table.theories.applications.template(mark);
        Ok(Binding::Macro(Rc::new(Macro {
            params,
            body,
            applications,
        })))
    }

    // ---- sorts -----------------------------------------------------------------------------

    pub(crate) fn sort(&mut self) -> Result<ScriptSort, Error> {
        let at = self.here()?;
        let template = self.template(&[], 0)?;
        template.close().map_err(|kind| located(at, kind))
    }

    fn template(&mut self, params: &[String], depth: usize) -> Result<Template, Error> {
        let token = self.lexer.next()?;
        if depth > DEEPEST_SORT {
            return Err(Error::malformed(token.at, "the sort is nested too deep"));
        }
        let error = |kind| located(token.at, kind);
        match token.kind {
            TokenKind::Symbol | TokenKind::Quoted => {
                let name = self.lexer.text().to_string();
                if let Some(k) = params.iter().position(|param| *param == name) {
                    return Ok(Template::Parameter(k));
                }
                self.named_sort(&name, &[], token.at)
            }
            TokenKind::Open => {
                let head = self.lexer.next()?;
                if !matches!(head.kind, TokenKind::Symbol | TokenKind::Quoted) {
                    return Err(self.unexpected(head, "a sort"));
                }
                let name = self.lexer.text().to_string();
                if name == "_" && head.kind == TokenKind::Symbol {
                    let sort = self.symbol()?;
                    let sort = match &sort[..] {
                        "BitVec" => bits::sort(self.width()?).map_err(error)?,
                        "FloatingPoint" => {
                            let (eb, sb) = (self.width()?, self.width()?);
                            let format = floats::format(eb, sb).map_err(error)?;
                            ScriptSort::Scalar(Scalar::Float(format))
                        }
                        _ => return Err(unknown_sort(&sort, token.at)),
                    };
                    self.close()?;
                    return Ok(Template::Fixed(sort));
                }
                let mut arguments = Vec::new();
                while !self.at_close()? {
                    arguments.push(self.template(params, depth + 1)?);
                }
                if arguments.is_empty() {
                    return Err(Error::malformed(
                        head.at,
                        "a sort without arguments in parentheses",
                    ));
                }
                self.named_sort(&name, &arguments, token.at)
            }
            _ => Err(self.unexpected(token, "a sort")),
        }
    }

    fn named_sort(
        &mut self,
        name: &str,
        arguments: &[Template],
        at: Position,
    ) -> Result<Template, Error> {
        let error = |kind| located(at, kind);
        let arity = |want: usize| {
            let have = arguments.len();
            let message = format!(
                "the sort '{}' has {want} arguments, not {have}",
                shortened(name)
            );
            if want == have {
                Ok(())
            } else {
                Err(Error::malformed(at, message))
            }
        };
        let fixed = |sort| arity(0).map(|()| Template::Fixed(ScriptSort::Scalar(sort)));
        match self.table.lookup_sort(name) {
            Some(SortBinding::Declared(number)) => {
                arity(0)?;
                Ok(Template::Fixed(ScriptSort::Scalar(Scalar::Declared(
                    *number,
                ))))
            }
            Some(SortBinding::Defined { params, body }) => {
                arity(*params)?;
                Ok(body.instantiate(arguments))
            }
            None => match name {
                "Bool" => arity(0).map(|()| Template::Fixed(ScriptSort::BOOL)),
                "Int" => arity(0).map(|()| Template::Fixed(ScriptSort::Int)),
                "Real" => arity(0).map(|()| Template::Fixed(ScriptSort::Real)),
                "RoundingMode" => fixed(Scalar::Rounding),
                "Float16" => fixed(Scalar::Float(FloatFormat::HALF)),
                "Float32" => fixed(Scalar::Float(FloatFormat::SINGLE)),
                "Float64" => fixed(Scalar::Float(FloatFormat::DOUBLE)),
                "Float128" => fixed(Scalar::Float(FloatFormat::QUAD)),
                "Array" => {
                    arity(2)?;
                    if let [Template::Fixed(index), Template::Fixed(elem)] = arguments {
                        let sort = array(*index, *elem).map_err(error)?;
                        return Ok(Template::Fixed(sort));
                    }
                    let [index, elem] = [0, 1].map(|k| Rc::new(arguments[k].clone()));
                    Ok(Template::Array(index, elem))
                }
                _ => Err(unknown_sort(name, at)),
            },
        }
    }

    // ---- tokens ----------------------------------------------------------------------------

    pub(crate) fn unexpected(&self, token: Token, due: &str) -> Error {
        let found = match token.kind {
            TokenKind::Open => "'('".to_string(),
            TokenKind::Close => "')'".to_string(),
            TokenKind::End => "the end of the script".to_string(),
            _ => format!("'{}'", shortened(self.lexer.text())),
        };
        Error::malformed(token.at, format!("{due} expected, found {found}"))
    }

    pub(crate) fn expect(&mut self, kind: TokenKind, due: &str) -> Result<(), Error> {
        let token = self.lexer.next()?;
        if token.kind == kind {
            return Ok(());
        }
        Err(self.unexpected(token, due))
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Result<(), Error> {
        let token = self.lexer.next()?;
        if token.kind == TokenKind::Symbol && self.lexer.text() == word {
            return Ok(());
        }
        Err(self.unexpected(token, &format!("'{word}'")))
    }

    pub(crate) fn close(&mut self) -> Result<(), Error> {
        self.expect(TokenKind::Close, "')'")
    }

    /// Passes a closing parenthesis, if that comes next.
    fn at_close(&mut self) -> Result<bool, Error> {
        let token = self.lexer.next()?;
        if token.kind == TokenKind::Close {
            return Ok(true);
        }
        if token.kind == TokenKind::End {
            return Err(self.unexpected(token, "')'"));
        }
        self.lexer.unread(token);
        Ok(false)
    }

    /// The position of the next token.
    fn here(&mut self) -> Result<Position, Error> {
        let token = self.lexer.next()?;
        self.lexer.unread(token);
        Ok(token.at)
    }

    pub(crate) fn symbol(&mut self) -> Result<String, Error> {
        let token = self.lexer.next()?;
        if matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
            return Ok(self.lexer.text().to_string());
        }
        Err(self.unexpected(token, "a symbol"))
    }

    fn keyword(&mut self) -> Result<String, Error> {
        self.expect(TokenKind::Keyword, "a keyword")?;
        Ok(self.lexer.text().to_string())
    }

    pub(crate) fn small_number(&self, token: Token) -> Result<u32, Error> {
        self.lexer.text().parse().map_err(|_| {
            let message = format!("the number {} is too large", shortened(self.lexer.text()));
            Error::malformed(token.at, message)
        })
    }

    /// A symbol that may be declared: not one of a theory.
    pub(crate) fn new_symbol(&mut self) -> Result<(String, Position), Error> {
        let at = self.here()?;
        let name = self.symbol()?;
        if Builtin::of_name(&name).is_some() || theory::is_constant(&name) {
            let message = format!("'{name}' is a function of the theories");
            return Err(Error::malformed(at, message));
        }
        Ok((name, at))
    }

    fn new_name(&mut self) -> Result<(String, Position), Error> {
        let (name, at) = self.new_symbol()?;
        if self.table.lookup(&name).is_some() {
            let message = format!("'{}' is declared already", shortened(&name));
            return Err(Error::malformed(at, message));
        }
        Ok((name, at))
    }

    fn new_sort(&mut self) -> Result<(String, Position), Error> {
        let at = self.here()?;
        let name = self.symbol()?;
        let known = KNOWN_SORTS.contains(&&name[..]);
        if known || self.table.lookup_sort(&name).is_some() {
            let message = format!("the sort '{}' is declared already", shortened(&name));
            return Err(Error::malformed(at, message));
        }
        Ok((name, at))
    }

    /// A width in a sort.
    fn width(&mut self) -> Result<u32, Error> {
        let number = self.lexer.next()?;
        if number.kind != TokenKind::Numeral {
            return Err(self.unexpected(number, "a width"));
        }
        self.small_number(number)
    }

    /// A keyword and, as text, the value that may follow it.
    fn attribute(&mut self) -> Result<(String, String), Error> {
        let keyword = self.keyword()?;
        let token = self.lexer.next()?;
        if token.kind == TokenKind::Close {
            self.lexer.unread(token);
            return Ok((keyword, String::new()));
        }
        self.lexer.unread(token);
        self.lexer.record_from(token.kind);
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Open => self.skip_rest()?,
            TokenKind::End => return Err(self.unexpected(token, "a value")),
            _ => {}
        }
        Ok((keyword, self.lexer.recorded()))
    }

    /// Skips to the parenthesis that closes the one that was read.
    pub(crate) fn skip_rest(&mut self) -> Result<(), Error> {
        let outside = self.lexer.depth() - 1;
        while self.lexer.depth() > outside {
            let token = self.lexer.next()?;
            if token.kind == TokenKind::End {
                return Err(self.unexpected(token, "')'"));
            }
        }
        Ok(())
    }
}

impl<R> Trace for Reader<R> {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.table.trace(visit);
    }
}

fn refused_command(name: &str, at: Position) -> Error {
    let feature = match name {
        "declare-datatype" | "declare-datatypes" | "declare-codatatype" | "declare-codatatypes" => {
            "datatypes"
        }
        "define-fun-rec" | "define-funs-rec" => "recursive functions",
        "declare-sort-parameter" => "polymorphism",
        "get-proof" => "proofs",
        _ => {
            return Error::malformed(at, format!("there is no command '{}'", shortened(name)));
        }
    };
    Error::unsupported(at, Feature(feature))
}

fn unknown_sort(name: &str, at: Position) -> Error {
    match theory::refused_sort(name) {
        Some(feature) => Error::unsupported(at, feature),
        None => {
            let kind = ErrorKind::Malformed(format!("there is no sort '{}'", shortened(name)));
            located(at, kind)
        }
    }
}
