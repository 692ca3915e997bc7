//! Calls between the constructor and the tested one.
//!
//! What a constructor made is in one state; a parser that has read a part of its input, or a list with elements, is in others, which the
//! library's functions bring about. So a driver calls up to some of them first, each with input of its own. These paths wait
//! until those without such calls bring nothing new (`polypath_defer`), and what they find needs no excuse: users call the same functions.

use crate::types::{Function, Mutator, Type};
use crate::writer::Writer;

/// The input that says how many calls there are.
const INPUT: &str = "calls";

impl Writer<'_> {
    /// Calls functions of the library on an object of this structure.
    pub(crate) fn prior_calls(&mut self, of: &str, object: &str, path: &str) {
        if self.options.prior_calls == 0 {
            return;
        }
        let mutators = self.d.mutators.iter().enumerate();
        let can_be_called = |f: &Function| {
            let mut types = f.params.iter().map(|p| self.d.ty(p.ty));
            types.all(|t| !matches!(t, Type::Unsupported(_) | Type::Opaque(_)))
        };
        let fits = |m: &Mutator| m.of == of && can_be_called(&m.function);
        let fitting: Vec<usize> = (mutators.filter(|(_, m)| fits(m)))
            .map(|(i, _)| i)
            .collect();
        if fitting.is_empty() {
            return;
        }
        let names: Vec<&str> = (fitting.iter())
            .map(|i| &self.d.mutators[*i].function.name[..])
            .collect();
        self.note(format!(
            "up to {} calls of {} come before the tested one (--prior-calls)",
            self.options.prior_calls,
            names.join(", ")
        ));
        self.limit(format!(
            "at most {} other calls come before (--prior-calls)",
            self.options.prior_calls
        ));
        let names = names.iter().map(|name| (*name).to_string());
        let choosing = (format!("{path}.call"), names.collect());
        self.choosing.push(choosing);
        // Inside, the names of the entry's parameters mean those of the other function.
        let outside = (
            std::mem::take(&mut self.fixed),
            std::mem::take(&mut self.open),
            std::mem::take(&mut self.short),
        );
        self.making += 1;
        self.block("for (unsigned call = 0; call < pp_calls; call++)", |w| {
            w.line(&format!("switch (pp_choice(\"{path}.call\")) {{"));
            for (k, i) in fitting.iter().enumerate() {
                let head = if k + 1 == fitting.len() {
                    "default:".to_string()
                } else {
                    format!("case {k}:")
                };
                w.block(&head, |w| w.prior_call(*i, object));
            }
            w.line("}");
        });
        self.making -= 1;
        (self.fixed, self.open, self.short) = outside;
    }

    fn prior_call(&mut self, index: usize, object: &str) {
        let mut f = self.d.mutators[index].function.clone();
        // What null leads to there is for a run of its own.
        f.params.iter_mut().for_each(|p| p.nonnull = true);
        let names: Vec<String> = (1..f.params.len()).map(|i| format!("arg{i}")).collect();
        let named = |(i, name): (usize, &String)| match &f.params[i + 1].name[..] {
            "" => name.clone(),
            name => crate::declare::identifier(name),
        };
        let names: Vec<String> = names.iter().enumerate().map(named).collect();
        let made = self.parameters(&f.params[1..], &names, &format!("{}:", f.name));
        if let Err(why) = made {
            self.note(format!("{} is not called before: {why}", f.name));
            self.line("klee_silent_exit(0);");
            return;
        }
        // (Two sources may describe one structure.)
        let mut arguments = vec![format!("(void *){object}")];
        arguments.extend(names);
        self.line(&format!("pp_call_{}({});", index + 1, arguments.join(", ")));
        self.line("break;");
        self.used_mutators.insert(index);
        (self.fixed, self.open, self.short) = Default::default();
    }

    /// What `main` does before it makes the parameters.
    pub(crate) fn begin_calls(&self) -> String {
        if self.used_mutators.is_empty() {
            return String::new();
        }
        let most = self.options.prior_calls;
        let excluded = if self.has_ways() {
            "    if (pp_by_hand) klee_assume(calls == 0);\n"
        } else {
            ""
        };
        format!(
            "    /* And so do objects that other calls have changed. */\n    \
             unsigned char calls = pp_choice(\"{INPUT}\");\n    \
             unsigned pp_calls = 0;\n    \
             klee_assume(calls <= {most});\n{excluded}    \
             for (; pp_calls < calls; pp_calls++) polypath_defer();\n"
        )
    }
}
