//! The functions of the study: those of GSL's special functions (`gsl_sf_*.h`) that a number can be passed to.
//!
//! "Symbolic Execution of Floating-point Programs" takes 277. With GSL 2.7.1 that is the number of functions `…_e` with a
//! scalar parameter (270) and of other functions that have only scalar parameters and no such twin (7).

use crate::tools::Context;
use anyhow::{Context as _, Result};
use std::collections::BTreeSet;
use std::path::Path;

/// A function, and the header that declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GslFunction {
    pub name: String,
    /// What the header is about: `bessel` for `gsl_sf_bessel.h`.
    pub topic: String,
}

/// Every so many functions one is taken by default.
const STEP: usize = 4;

/// Those that `--only` names, or all with `--all`, or the selection of a default run.
pub fn functions(context: &Context, tree: &Path) -> Result<Vec<GslFunction>> {
    let all = all(tree)?;
    let chosen = context.choose(&all, |f| &f.name);
    let step = if context.all || chosen.len() < all.len() {
        1
    } else {
        STEP
    };
    Ok(chosen.into_iter().step_by(step).cloned().collect())
}

/// All functions, by header and place in it.
pub fn all(tree: &Path) -> Result<Vec<GslFunction>> {
    let dir = tree.join("gsl");
    let entries = std::fs::read_dir(&dir).with_context(|| dir.display().to_string())?;
    let mut headers = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let topic = name.strip_prefix("gsl_sf_");
        if let Some(topic) = topic.and_then(|n| n.strip_suffix(".h")) {
            headers.push((topic.to_string(), std::fs::read_to_string(&path)?));
        }
    }
    headers.sort();
    Ok(chosen(&headers))
}

/// Those of the headers (topic, text) that the study takes.
fn chosen(headers: &[(String, String)]) -> Vec<GslFunction> {
    let mut declared = Vec::new();
    for (topic, text) in headers {
        for (name, parameters) in declarations(text) {
            let scalars = parameters.iter().filter(|p| is_scalar(p)).count();
            declared.push((topic, name, scalars, parameters.len()));
        }
    }
    let is_main = |name: &str, scalars: usize| name.ends_with("_e") && scalars > 0;
    let main: BTreeSet<String> = declared
        .iter()
        .filter(|(_, name, scalars, _)| is_main(name, *scalars))
        .map(|(_, name, ..)| name.clone())
        .collect();
    let mut seen = BTreeSet::new();
    declared.retain(|(_, name, scalars, parameters)| {
        let alone = !name.ends_with("_e") && !main.contains(&format!("{name}_e"));
        let wanted = main.contains(name) || alone && *scalars > 0 && scalars == parameters;
        wanted && seen.insert(name.clone())
    });
    declared
        .into_iter()
        .map(|(topic, name, ..)| GslFunction {
            name,
            topic: topic.clone(),
        })
        .collect()
}

fn is_scalar(parameter: &str) -> bool {
    !parameter.contains(['*', '[']) && parameter != "void"
}

/// The functions that a header declares, with their parameters.
fn declarations(header: &str) -> Vec<(String, Vec<String>)> {
    let code = without_comments(header);
    let lines = code.lines().filter(|l| !l.trim_start().starts_with('#'));
    let code: String = lines.flat_map(|l| [l, "\n"]).collect();
    let mut found = Vec::new();
    for statement in code.split(';') {
        let Some((head, rest)) = statement.split_once('(') else {
            continue;
        };
        let name = head.split_whitespace().last().unwrap_or_default();
        let name = name.trim_start_matches('*');
        // A definition in the header stands before the next declaration.
        let Some((parameters, _)) = rest.split_once(')') else {
            continue;
        };
        if name.starts_with("gsl_sf_") && !parameters.contains(['(', '{']) {
            let parameters = parameters.split(',').map(|p| p.trim().to_string());
            found.push((name.to_string(), parameters.collect()));
        }
    }
    found
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        out.push(' ');
        rest = after.split_once("*/").map_or("", |(_, behind)| behind);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::trees::fetched;

    #[test]
    fn gsl_has_as_many_as_the_paper() {
        match fetched("gsl") {
            Ok(tree) => assert_eq!(all(&tree).unwrap().len(), 277),
            Err(error) => testkit::skip(&format!("{error:#}")),
        }
    }

    #[test]
    fn functions_with_numbers_and_without_twins() {
        let header = "#ifndef A
#define A
/* int gsl_sf_no_e(double x); */
__BEGIN_DECLS
int gsl_sf_f_e(const double x,
               gsl_sf_result * result);
double gsl_sf_f(const double x);
int gsl_sf_in_place_e(double * x);
double gsl_sf_in_place(double x);
INLINE_DECL size_t gsl_sf_index(size_t l, size_t m);
int gsl_sf_array(int n, double result[]);
gsl_sf_work * gsl_sf_alloc(const size_t n);
#ifdef HAVE_INLINE
INLINE_FUN size_t gsl_sf_index(size_t l, size_t m) { return l + m; }
#endif
__END_DECLS
";
        let found = chosen(&[("x".into(), header.into())]);
        let names: Vec<&str> = found.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "gsl_sf_f_e",
                "gsl_sf_in_place",
                "gsl_sf_index",
                "gsl_sf_alloc"
            ]
        );
    }
}
