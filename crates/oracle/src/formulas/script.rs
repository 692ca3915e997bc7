//! Scripts: assertions on levels, several checks, assumptions.

use super::formula::{Declaration, Expr, Plain, Sort, element};

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScriptStep {
    Assert(Expr),
    Push,
    Pop,
    /// `check-sat`, under assumptions (Boolean constants or their negations) if there are any.
    Check(Vec<Expr>),
}

/// Declarations and what comes after them.
#[derive(Clone, Debug)]
pub struct Script {
    /// The declarations, in order.
    pub declarations: Vec<Declaration>,
    /// Assertions, scopes and questions, in order.
    pub steps: Vec<ScriptStep>,
    /// Is the assertion at a step named? The others belong to every core.
    pub named: Vec<bool>,
}

/// One check of a script with what is in force there.
#[derive(Clone, Debug)]
pub struct ScriptCheck<'a> {
    /// Steps of the assertions, with these.
    pub asserted: Vec<(usize, &'a Expr)>,
    pub assumed: &'a [Expr],
}

impl Script {
    /// A script in which every assertion is named.
    pub fn new(declarations: Vec<Declaration>, steps: Vec<ScriptStep>) -> Script {
        Script {
            declarations,
            named: vec![true; steps.len()],
            steps,
        }
    }

    /// The checks in order.
    pub fn checks(&self) -> Vec<ScriptCheck<'_>> {
        let mut levels = Vec::new();
        let mut asserted = Vec::new();
        let mut checks = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                ScriptStep::Assert(term) => asserted.push((at, term)),
                ScriptStep::Push => levels.push(asserted.len()),
                ScriptStep::Pop => asserted.truncate(levels.pop().unwrap_or(0)),
                ScriptStep::Check(assumed) => checks.push(ScriptCheck {
                    asserted: asserted.clone(),
                    assumed,
                }),
            }
        }
        checks
    }

    /// The terms of all steps.
    fn terms(&self) -> impl Iterator<Item = &Expr> {
        self.steps.iter().flat_map(|step| match step {
            ScriptStep::Assert(term) => std::slice::from_ref(term),
            ScriptStep::Check(assumed) => assumed,
            ScriptStep::Push | ScriptStep::Pop => &[],
        })
    }

    /// The declarations that are used.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        let sorts: Vec<u32> = (0..).take_while(|&s| self.declares(s)).collect();
        for sort in &sorts {
            text.push_str(&format!("(declare-sort S{sort} 0)\n"));
        }
        for declaration in &self.declarations {
            let name = &declaration.name;
            // What is simplest of a declared sort hides inside the names of constant arrays.
            let is_simplest = sorts.iter().any(|&s| *name == element(s, 0));
            if is_simplest || self.terms().any(|t| t.mentions(name)) {
                text.push_str(&declaration.to_string());
            }
        }
        text
    }

    fn declares(&self, sort: u32) -> bool {
        self.declarations.iter().any(|d| d.names(sort))
    }

    /// A step as text.
    pub fn command(&self, at: usize) -> String {
        match &self.steps[at] {
            ScriptStep::Assert(term) => assertion(at, term, self.named[at]),
            ScriptStep::Push => "(push 1)\n".into(),
            ScriptStep::Pop => "(pop 1)\n".into(),
            ScriptStep::Check(assumed) if assumed.is_empty() => "(check-sat)\n".into(),
            ScriptStep::Check(assumed) => {
                let texts: Vec<String> = assumed.iter().map(Expr::to_string).collect();
                format!("(check-sat-assuming ({}))\n", texts.join(" "))
            }
        }
    }

    /// The whole script.
    pub fn text(&self) -> String {
        let mut text = format!("(set-logic ALL)\n{}", self.declarations());
        (0..self.steps.len()).for_each(|at| text.push_str(&self.command(at)));
        text
    }

    /// Is there one check only, of all that is asserted?
    pub fn is_plain(&self) -> bool {
        let is_check =
            |s: &ScriptStep| matches!(s, ScriptStep::Check(assumed) if assumed.is_empty());
        let (Some(last), before) = (self.steps.last(), self.steps.len().saturating_sub(1)) else {
            return false;
        };
        let asserts = |s: &ScriptStep| matches!(s, ScriptStep::Assert(_));
        is_check(last) && self.steps[..before].iter().all(asserts)
    }

    /// The same after a `push`; cores name only every second assertion.
    pub fn on_a_level(&self) -> Script {
        let steps = std::iter::once(&ScriptStep::Push).chain(&self.steps);
        Script {
            steps: steps.cloned().collect(),
            named: (0..=self.steps.len()).map(|at| at % 2 == 0).collect(),
            ..self.clone()
        }
    }

    /// Does it speak about integers or declared sorts? Bitwuzla does not know the former, and the
    /// comparison of the latter ends its process.
    pub fn is_for_z3_alone(&self) -> bool {
        let ints = |t: &Expr| t.any(&|node| node.sort == Sort::Int);
        self.declares(0) || self.terms().any(ints)
    }

    /// Number of nodes and steps.
    pub fn size(&self) -> usize {
        self.steps.len() + self.terms().map(Expr::size).sum::<usize>()
    }

    /// Scripts that are a little smaller, the smallest first.
    pub fn smaller(&self) -> Vec<Script> {
        let mut out = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                ScriptStep::Pop => {}
                ScriptStep::Push => out.push(self.without(&[Some(at), self.pop_of(at)])),
                ScriptStep::Check(_) if self.checks().len() == 1 => {}
                _ => out.push(self.without(&[Some(at)])),
            }
            let mut replace = |new: ScriptStep| {
                let mut smaller = self.clone();
                smaller.steps[at] = new;
                out.push(smaller);
            };
            match step {
                ScriptStep::Assert(term) => {
                    term.smaller()
                        .into_iter()
                        .for_each(|t| replace(ScriptStep::Assert(t)));
                }
                ScriptStep::Check(assumed) => {
                    for k in 0..assumed.len() {
                        let mut fewer = assumed.clone();
                        fewer.remove(k);
                        replace(ScriptStep::Check(fewer));
                    }
                }
                ScriptStep::Push | ScriptStep::Pop => {}
            }
        }
        out.sort_by_key(Script::size);
        out
    }

    fn without(&self, steps: &[Option<usize>]) -> Script {
        let kept = |at: &usize| !steps.contains(&Some(*at));
        let kept: Vec<usize> = (0..self.steps.len()).filter(kept).collect();
        Script {
            declarations: self.declarations.clone(),
            steps: kept.iter().map(|&at| self.steps[at].clone()).collect(),
            named: kept.iter().map(|&at| self.named[at]).collect(),
        }
    }

    /// The pop that belongs to a push.
    fn pop_of(&self, push: usize) -> Option<usize> {
        let mut depth = 0;
        for (at, step) in self.steps.iter().enumerate().skip(push) {
            match step {
                ScriptStep::Push => depth += 1,
                ScriptStep::Pop => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }
}

/// An assertion as text; its name tells its step.
pub fn assertion(at: usize, term: &Expr, named: bool) -> String {
    if named {
        format!("(assert (! {term} :named a{at}))\n")
    } else {
        format!("(assert {term})\n")
    }
}

/// A declaration of a constant.
pub fn constant(name: impl Into<String>, sort: Sort) -> Declaration {
    Declaration {
        name: name.into(),
        params: vec![],
        sort,
    }
}

/// A declaration of a function.
pub fn function(name: impl Into<String>, params: &[Plain], sort: Plain) -> Declaration {
    Declaration {
        name: name.into(),
        params: params.to_vec(),
        sort: Sort::Plain(sort),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Script {
        let p = Expr::leaf("p", Sort::BOOL);
        let not = Expr::new("not", vec![p.clone()], Sort::BOOL);
        let steps = vec![
            ScriptStep::Assert(p.clone()),
            ScriptStep::Push,
            ScriptStep::Assert(not),
            ScriptStep::Check(vec![]),
            ScriptStep::Pop,
            ScriptStep::Check(vec![p]),
        ];
        Script::new(vec![constant("p", Sort::BOOL)], steps)
    }

    #[test]
    fn checks_know_what_is_in_force() {
        let script = sample();
        let checks = script.checks();
        let steps = |k: usize| -> Vec<usize> { checks[k].asserted.iter().map(|a| a.0).collect() };
        assert_eq!((steps(0), steps(1)), (vec![0, 2], vec![0]));
        assert_eq!(checks[1].assumed.len(), 1);
        assert!(!script.is_plain());
    }

    #[test]
    fn smaller_scripts_are_balanced_and_keep_a_check() {
        let mut open = vec![sample()];
        let mut count = 0;
        while let Some(script) = open.pop() {
            for smaller in script.smaller() {
                let of = |step: ScriptStep| smaller.steps.iter().filter(|s| **s == step).count();
                assert_eq!(of(ScriptStep::Push), of(ScriptStep::Pop));
                assert!(!smaller.checks().is_empty() && smaller.size() <= script.size());
                count += 1;
                if smaller.size() < script.size() && count < 500 {
                    open.push(smaller);
                }
            }
        }
        assert!(count > 20);
    }
}
