//! The beginning of a function: what it does before it has changed anything.
//!
//! What a function checks there, it asks of its callers.

use crate::{FuncId, Function, Inst, Module, Pc, Reg, Val};

impl Module {
    /// Does the instruction at `pc` stand in the function's beginning? So it is if some way leads there from its entry on
    /// which it has written no memory and called nothing.
    pub fn is_at_beginning(&self, function: FuncId, pc: Pc) -> bool {
        let f = &self.functions[function as usize];
        let mut seen = vec![false; (f.end - f.entry) as usize];
        let mut open = vec![self.after_variables(f)];
        // Each instruction is looked at once.
        while let Some(at) = open.pop() {
            if at == pc {
                return true;
            }
            let Some(is_seen) = at
                .checked_sub(f.entry)
                .and_then(|at| seen.get_mut(at as usize))
            else {
                continue;
            };
            if std::mem::replace(is_seen, true) {
                continue;
            }
            let mut inst = self.code[at as usize];
            match inst {
                Inst::Store { .. }
                | Inst::StoreOffset { .. }
                | Inst::StoreIndex { .. }
                | Inst::MemCopy { .. }
                | Inst::MemMove { .. }
                | Inst::MemSet { .. }
                | Inst::Call { .. }
                | Inst::CallSite { .. }
                | Inst::Ret { .. }
                | Inst::Unsupported { .. } => {}
                Inst::Jump { .. }
                | Inst::Branch { .. }
                | Inst::CmpBranch { .. }
                | Inst::Invoked { .. } => {
                    inst.targets(|to| open.push(*to));
                }
                Inst::Switch { table, .. } => {
                    let table = &self.switches[table as usize];
                    open.extend(table.cases.iter().map(|case| case.1));
                    open.push(table.default);
                }
                _ => open.push(at + 1),
            }
        }
        false
    }

    /// The first instruction of a function that neither makes its variables nor sets them to their first values.
    fn after_variables(&self, f: &Function) -> Pc {
        let mut made: Vec<Reg> = Vec::new();
        let is_made = |made: &[Reg], v: Val| made.iter().any(|&r| v == Val::reg(r));
        for pc in f.entry..f.end {
            match self.code[pc as usize] {
                Inst::Alloca { dst, .. } => made.push(dst),
                Inst::Cover { .. } | Inst::ScopeStart { .. } => {}
                Inst::Store { address: to, .. }
                | Inst::StoreOffset { base: to, .. }
                | Inst::MemSet { dst: to, .. }
                    if is_made(&made, to) => {}
                _ => return pc,
            }
        }
        f.end
    }
}

#[cfg(test)]
mod tests {
    use crate::Inst;

    /// Calls of `fail`, in the order of the code: which of them stand in the beginning?
    fn beginnings(body: &str) -> Vec<bool> {
        let text = format!(
            "entry main main\nextern fail\nglobal g size 8\n\nfunction main(32, 64, 64) -> (32)\n{body}"
        );
        let module = crate::parse::parse(&text).expect("it is right");
        let code = (0..).zip(&module.code);
        let calls = code.filter(|(_, inst)| matches!(inst, Inst::CallSite { .. }));
        calls.map(|(pc, _)| module.is_at_beginning(0, pc)).collect()
    }

    #[test]
    fn a_beginning_ends_where_memory_is_written_or_something_is_called() {
        let found = beginnings(
            "    r3 = Load.4 &g
    CmpBranch.Eq.32 r0, r3, bad, good
bad:
    CallSite extern fail() -> ()
    CallSite extern fail() -> ()
    Ret 1
good:
    CmpBranch.Ult.32 r0, 9, more, late
more:
    Store.4 &g, 1
    Jump late
late:
    CallSite extern fail() -> ()
    Ret 0
",
        );
        // The third one has a way past the store, too.
        assert_eq!(found, [true, false, true]);
        let found = beginnings(
            "    Store.4 &g, 1
    CallSite extern fail() -> ()
    Ret 0
",
        );
        assert_eq!(found, [false]);
        // A variable of its own.
        let found = beginnings(
            "    r3 = Alloca align 4, 8, \"other\"
    Store.8 r3, 0
    CallSite extern fail() -> ()
    Ret 0
",
        );
        assert_eq!(found, [true]);
    }

    #[test]
    fn loops_come_to_an_end() {
        let found = beginnings(
            "    Jump head
head:
    CmpBranch.Ult.32 r0, 9, head, out
out:
    CallSite extern fail() -> ()
    Ret 0
",
        );
        assert_eq!(found, [true]);
    }
}
