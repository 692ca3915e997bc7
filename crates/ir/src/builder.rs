//! Builds modules, for tests, front ends and the reader of the text.
//!
//! ```
//! use polypath_ir::{Builder, Inst, Reg};
//!
//! let mut b = Builder::new();
//! b.function("count_down", &[32], &[32]);
//! let (n, one, is_left) = (Reg(0), b.constant(1), b.reg()); // the parameter is register 0
//! let (again, done) = (b.label(), b.label());
//! b.bind(again);
//! b.emit(Inst::Sub { w: 32, dst: n, a: n.into(), b: one });
//! b.emit(Inst::Ult { w: 32, dst: is_left, a: one, b: n.into() });
//! b.emit(Inst::Branch { c: is_left.into(), then: again.pc(), other: done.pc() });
//! b.bind(done);
//! b.ret(&[n.into()]);
//! assert_eq!(b.finish().unwrap().code.len(), 4);
//! ```
//!
//! Functions are numbered in the order of their declaration and may be filled in any order. Until [`Builder::finish`],
//! branch targets in instructions are labels of their function, given as [`Label::pc`].

use crate::operands::{Operands, slots};
use crate::verify::Fault;
use crate::{
    Branch, BranchId, CallSite, Entry, ExternId, FuncId, Function, Global, Inst, LandingPad,
    Location, Module, Pc, Reg, Site, SiteId, StrId, Switch, Val, Verified, layout,
};
use std::collections::HashMap;

/// A place in the code of the function that it was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(u32);

impl Label {
    /// What stands for it in an instruction.
    pub const fn pc(self) -> Pc {
        self.0
    }
}

/// The code of one function; targets are labels, and positions count from its first instruction.
#[derive(Debug, Default)]
struct Body {
    code: Vec<Inst>,
    labels: Vec<Option<Pc>>,
    switches: Vec<u32>,
    locations: Vec<(Pc, Location)>,
}

/// A module in the making. See the module's documentation.
#[derive(Debug, Default)]
pub struct Builder {
    pub(crate) module: Module,
    bodies: Vec<Body>,
    current: usize,
    location: Location,
    constants: HashMap<Vec<u64>, u32>,
    strings: HashMap<String, StrId>,
    files: HashMap<String, u32>,
}

impl Builder {
    /// An empty module.
    pub fn new() -> Builder {
        Builder::default()
    }

    // --- tables ---

    /// A constant of up to 64 bits.
    pub fn constant(&mut self, value: u64) -> Val {
        self.wide_constant(&[value])
    }

    /// A constant of several limbs, least significant first.
    pub fn wide_constant(&mut self, limbs: &[u64]) -> Val {
        let consts = &mut self.module.consts;
        let new = consts.len() as u32;
        let index = *self.constants.entry(limbs.to_vec()).or_insert(new);
        if index == new {
            consts.extend_from_slice(limbs);
        }
        Val::constant(index)
    }

    /// A string: a name, a type, a message.
    pub fn string(&mut self, text: &str) -> StrId {
        intern(&mut self.strings, &mut self.module.strings, text)
    }

    /// A source file, for positions.
    pub fn file(&mut self, name: &str) -> u32 {
        intern(&mut self.files, &mut self.module.files, name)
    }

    /// A function that the engine supplies.
    pub fn import(&mut self, name: &str) -> ExternId {
        self.module.externs.push(name.to_string());
        self.module.externs.len() as ExternId - 1
    }

    /// A global; it is put behind the one before it if its address is 0. Returns its address.
    pub fn global(&mut self, mut global: Global) -> u64 {
        if global.address == 0 {
            let end = self.module.globals.last().map(|g| {
                let gap = layout::gap(g.size, 0);
                g.address.saturating_add(g.size).saturating_add(gap)
            });
            let free = end.unwrap_or(layout::GLOBALS);
            // Too high for alignment is too high for the verifier, too.
            global.address = free.checked_next_multiple_of(16).unwrap_or(free);
        }
        let address = global.address;
        self.module.globals.push(global);
        address
    }

    /// A coverage site.
    pub fn site(&mut self, site: Site) -> SiteId {
        self.module.sites.push(site);
        self.module.sites.len() as SiteId - 1
    }

    /// A branch of the program, for the outcomes of sites.
    pub fn branch(&mut self, branch: Branch) -> BranchId {
        self.module.branches.push(branch);
        self.module.branches.len() as BranchId - 1
    }

    /// Where the program begins.
    pub fn entry(&mut self, entry: Entry) {
        self.module.entry = entry;
    }

    /// What is known so far; code and branch targets are not in place yet.
    pub fn tables(&self) -> &Module {
        &self.module
    }

    // --- functions ---

    /// Declares a function and selects it: what follows is its code. Its parameters are the registers from 0 on.
    pub fn function(&mut self, name: &str, params: &[u16], results: &[u16]) -> FuncId {
        let ty = self.string("");
        self.declare(Function {
            name: name.to_string(),
            entry: 0,
            end: 0,
            params: params.to_vec(),
            results: results.to_vec(),
            registers: params.len() as u32,
            frame: crate::layout::FRAME,
            ty,
            variadic: None,
            own: true,
            location: Location::default(),
        })
    }

    /// The same with all that a function has. `entry` and `end` are filled in later, `registers` grows with use.
    pub fn declare(&mut self, function: Function) -> FuncId {
        self.module.functions.push(function);
        self.bodies.push(Body::default());
        self.select(self.bodies.len() as FuncId - 1);
        self.current as FuncId
    }

    /// The code that follows belongs to this function.
    ///
    /// # Panics
    /// When it was not declared.
    pub fn select(&mut self, id: FuncId) {
        assert!((id as usize) < self.bodies.len());
        self.current = id as usize;
        self.location = Location::default();
    }

    fn body(&mut self) -> &mut Body {
        &mut self.bodies[self.current]
    }

    /// A register of the current function that nothing has used yet.
    pub fn reg(&mut self) -> Reg {
        self.regs(1)
    }

    /// The first one of `count` such registers.
    pub fn regs(&mut self, count: u32) -> Reg {
        let f = &mut self.module.functions[self.current];
        f.registers += count;
        Reg(f.registers - count)
    }

    /// A label of the current function, still without a place.
    pub fn label(&mut self) -> Label {
        let labels = &mut self.body().labels;
        labels.push(None);
        Label(labels.len() as u32 - 1)
    }

    /// The label's place is here.
    ///
    /// # Panics
    /// When the label is another function's.
    pub fn bind(&mut self, label: Label) {
        let body = self.body();
        body.labels[label.0 as usize] = Some(body.code.len() as Pc);
    }

    /// Whether the label has a place.
    pub(crate) fn is_bound(&self, label: Label) -> bool {
        let labels = &self.bodies[self.current].labels;
        labels.get(label.0 as usize).is_some_and(Option::is_some)
    }

    /// The source position of what follows in this function.
    pub fn at(&mut self, location: Location) {
        self.location = location;
    }

    /// Appends an instruction; its branch targets are labels.
    pub fn emit(&mut self, mut inst: Inst) {
        let mut highest = Highest(0);
        inst.operands(&mut highest);
        self.use_registers(highest.0);
        let location = self.location;
        let body = self.body();
        let known = body
            .locations
            .last()
            .map_or_else(Location::default, |l| l.1);
        if known != location || body.code.is_empty() {
            body.locations.push((body.code.len() as Pc, location));
        }
        body.code.push(inst);
    }

    fn use_registers(&mut self, count: u32) {
        let f = &mut self.module.functions[self.current];
        f.registers = f.registers.max(count);
    }

    fn use_values<'v>(&mut self, values: impl IntoIterator<Item = &'v Val>) {
        let mut highest = Highest(0);
        for v in values {
            highest.value(*v, 1);
        }
        self.use_registers(highest.0);
    }

    /// A switch over a value of `w` bits.
    pub fn switch(&mut self, w: u8, value: Val, cases: &[(u64, Label)], default: Label) {
        let table = self.module.switches.len() as u32;
        self.module.switches.push(Switch {
            cases: cases.iter().map(|(v, l)| (*v, l.pc())).collect(),
            default: default.pc(),
        });
        self.body().switches.push(table);
        self.emit(Inst::Switch { w, value, table });
    }

    /// What the landing pad of an [`Inst::Invoked`] is for.
    pub fn landing_pad(&mut self, pad: LandingPad) -> u32 {
        self.module.pads.push(pad);
        self.module.pads.len() as u32 - 1
    }

    fn list(&mut self, values: &[Val]) -> (u32, u16) {
        self.use_values(values);
        let start = self.module.operands.len() as u32;
        self.module.operands.extend_from_slice(values);
        (start, values.len() as u16)
    }

    /// A direct call; `dst` is the first register of the results.
    pub fn call(&mut self, dst: Reg, callee: FuncId, args: &[Val]) {
        let (args, count) = self.list(args);
        let results = self.module.functions.get(callee as usize);
        let results = results.map_or(0, |f| f.results.len() as u32);
        if results > 0 {
            self.use_registers(dst.0.saturating_add(results));
        }
        self.emit(Inst::Call {
            callee,
            dst,
            args,
            count,
        });
    }

    /// Any other call.
    pub fn call_site(&mut self, site: CallSite) {
        self.use_values(&site.args);
        self.use_values(site.varargs.iter().map(|v| &v.value));
        if let crate::Target::Pointer(v) = &site.target {
            self.use_values([v]);
        }
        if !site.results.is_empty() {
            self.use_registers(site.dst.0.saturating_add(site.results.len() as u32));
        }
        self.module.call_sites.push(site);
        let site = self.module.call_sites.len() as u32 - 1;
        self.emit(Inst::CallSite { site });
    }

    /// Calls a function that the engine supplies, with arguments of 64 bits.
    pub fn call_import(&mut self, dst: Reg, id: ExternId, args: &[Val], results: &[u16]) {
        let ty = self.string("");
        self.call_site(CallSite {
            target: crate::Target::Extern(id),
            ty,
            args: args.to_vec(),
            widths: vec![64; args.len()],
            classes: vec![crate::ArgClass::General; args.len()],
            varargs: Vec::new(),
            dst,
            results: results.to_vec(),
        });
    }

    /// Returns these values.
    pub fn ret(&mut self, values: &[Val]) {
        let (values, count) = self.list(values);
        self.emit(Inst::Ret { values, count });
    }

    // --- the end ---

    /// The module, verified.
    ///
    /// # Errors
    /// What the verifier finds, and labels without a place.
    pub fn finish(self) -> Result<Verified, Fault> {
        Verified::new(self.module()?)
    }

    /// The module as it is, for a test of the verifier.
    ///
    /// # Errors
    /// A branch to a label that has no place.
    pub fn module(self) -> Result<Module, Fault> {
        let Builder {
            mut module, bodies, ..
        } = self;
        let mut location = Location::default();
        for (id, body) in bodies.into_iter().enumerate() {
            let entry = module.code.len() as Pc;
            let mut unbound = None;
            let mut place = |target: &mut Pc| match body.labels.get(*target as usize) {
                Some(Some(at)) => *target = entry + at,
                _ => unbound = Some(*target),
            };
            for mut inst in body.code {
                inst.targets(&mut place);
                module.code.push(inst);
            }
            for table in body.switches {
                let table = &mut module.switches[table as usize];
                table.cases.iter_mut().for_each(|(_, at)| place(at));
                place(&mut table.default);
            }
            for (pc, at) in body.locations {
                if at != location {
                    module.locations.push((entry + pc, at));
                    location = at;
                }
            }
            let f = &mut module.functions[id];
            (f.entry, f.end) = (entry, module.code.len() as Pc);
            if let Some(label) = unbound {
                let what = format!("function {id} {}: label {label} has no place", f.name);
                return Err(Fault { what });
            }
        }
        Ok(module)
    }
}

fn intern(known: &mut HashMap<String, u32>, all: &mut Vec<String>, text: &str) -> u32 {
    if let Some(id) = known.get(text) {
        return *id;
    }
    let id = all.len() as u32;
    all.push(text.to_string());
    known.insert(text.to_string(), id);
    id
}

/// One more than the highest register of an instruction.
struct Highest(u32);

impl Highest {
    fn value(&mut self, v: Val, width: u32) {
        if !v.is_const() && width > 0 {
            self.0 = self.0.max(v.0.saturating_add(slots(width)));
        }
    }
}

impl Operands for Highest {
    fn reads(&mut self, value: &mut Val, width: u32) {
        self.value(*value, width);
    }
    fn writes(&mut self, register: &mut Reg, width: u32) {
        self.value(Val::reg(*register), width);
    }
}
