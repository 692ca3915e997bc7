//! Random programs that end.
//!
//! Three functions, each calling later ones only; blocks that branch forwards, and one loop of a few rounds. A function
//! has registers of each width, written before its first block, so that every read finds a value of its width. In some
//! functions they come from `input`, whose bytes are symbolic, in others only what is passed to them or returned can be.
//! Most accesses lie in `buffer`, in a local variable or in an object of the heap that lives; most divisions are
//! checked as a front end checks them.

use ir::fields::{Fields, IntegerField};
use ir::ops::Word;
use ir::{
    ArgClass, Builder, CallSite, CastOp, CheckKind, CmpOp, Entry, ExternId, FuncId, Global, Inst,
    Label, Location, Module, Pc, Reg, Site, SiteId, StrId, Target, Val, layout,
};
use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::RangeInclusive;
use testkit::Random;

/// The function that makes `input` symbolic, and one without an effect that may take its place.
pub const SYMBOLIC: &str = "klee_make_symbolic";
pub const CONCRETE: &str = "klee_mark_global";
/// The global with the input.
pub const INPUT: &str = "input";

const BUFFER: u64 = 160;
const LOCAL: u64 = 48;
const NARROW: [u32; 11] = [8, 1, 3, 16, 24, 32, 33, 40, 48, 56, 64];
const WIDE: [u32; 2] = [80, 128];
/// Parameters and results of the functions.
const SHAPES: [(&[u16], &[u16]); 3] = [
    (&[32, 64, 64], &[32]),
    (&[64, 8, 32], &[32]),
    (&[8, 16, 1], &[64, 1]),
];

/// A program, and whether it computes with floats.
pub fn program(r: &mut Random) -> (Module, bool) {
    let floats = r.below(3) == 0;
    let mut b = Builder::new();
    let mut global = |name: &str, size: u64, init: Vec<u8>| {
        b.global(Global {
            name: name.into(),
            address: 0,
            size,
            init,
            constant: false,
            own: true,
        })
    };
    let inputs = 1 + r.below(3);
    let input = global(INPUT, inputs, Vec::new());
    let name = global("name", 2, b"x".to_vec());
    let init = (0..BUFFER).map(|_| r.next() as u8).collect();
    let buffer = global("buffer", BUFFER, init);
    let [symbolic, malloc, free] = [SYMBOLIC, "malloc", "free"].map(|name| b.import(name));
    let names = ["main", "f", "g"];
    for (name, (params, results)) in names.iter().zip(SHAPES) {
        b.function(name, params, results);
    }
    b.entry(Entry {
        main: Some(0),
        start: None,
    });
    for id in 0..SHAPES.len() as FuncId {
        b.select(id);
        if id == 0 {
            let args = [input, inputs, name].map(|v| b.constant(v));
            b.call_import(Reg(0), symbolic, &args, &[]);
        }
        let mut body = Body {
            r,
            b: &mut b,
            id,
            floats,
            buffer,
            input: (input, inputs),
            reads_input: false,
            heap: [malloc, free],
            local: Reg(0),
            mark: Reg(0),
            registers: HashMap::new(),
            flagged: HashMap::new(),
            labels: Vec::new(),
        };
        body.reads_input = body.r.below(5) != 0;
        body.prologue();
        body.blocks();
    }
    let module = b.module().expect("all labels are bound");
    (module, floats)
}

struct Body<'a> {
    r: &'a mut Random,
    b: &'a mut Builder,
    id: FuncId,
    floats: bool,
    buffer: u64,
    input: (u64, u64),
    reads_input: bool,
    heap: [ExternId; 2],
    /// Holds the address of the local variable.
    local: Reg,
    /// For the stack's mark.
    mark: Reg,
    /// By width.
    registers: HashMap<u32, Vec<Reg>>,
    /// Those with a bit in the register behind them.
    flagged: HashMap<u32, Vec<Reg>>,
    /// Of the blocks that may be branched to from here.
    labels: Vec<Label>,
}

impl Body<'_> {
    fn register(&mut self, width: u32) -> Reg {
        self.r.pick(&self.registers[&width])
    }

    fn flagged(&mut self, width: u32) -> Reg {
        self.r.pick(&self.flagged[&width])
    }

    fn constant(&mut self, width: u32) -> Val {
        let mut limb = || match self.r.below(4) {
            0 => self.r.below(5),
            1 => (1u64 << self.r.below(64)).wrapping_sub(self.r.below(3)),
            2 => self.r.below(5).wrapping_neg(),
            _ => self.r.next(),
        };
        let mut limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| limb()).collect();
        if let (Some(top), 1..) = (limbs.last_mut(), width % 64) {
            *top &= u64::MAX >> (64 - width % 64);
        }
        self.b.wide_constant(&limbs)
    }

    fn value(&mut self, width: u32) -> Val {
        if self.registers.contains_key(&width) && self.r.below(4) != 0 {
            self.register(width).into()
        } else {
            self.constant(width)
        }
    }

    fn int(&mut self, bits: u64) -> Val {
        self.b.constant(bits)
    }

    // --- the beginning ---

    fn prologue(&mut self) {
        let params = SHAPES[self.id as usize].0;
        for (n, w) in (0..).zip(params) {
            self.registers
                .entry(u32::from(*w))
                .or_default()
                .push(Reg(n));
        }
        for w in NARROW {
            for _ in 0..2 {
                let single = self.b.reg();
                self.begin(single, w);
            }
            let pair = self.b.regs(2);
            self.begin(pair, w);
            self.begin(Reg(pair.0 + 1), 1);
            self.flagged.entry(w).or_default().push(pair);
        }
        for w in WIDE {
            for _ in 0..2 {
                let group = self.b.regs(2);
                let a = self.value(8);
                self.b.emit(Inst::WideCast {
                    op: self.r.pick(&[CastOp::Zext, CastOp::Sext]),
                    from: 8,
                    to: w as u16,
                    dst: group,
                    a,
                });
                self.registers.entry(w).or_default().push(group);
            }
        }
        self.mark = self.b.reg();
        let zero = self.int(0);
        self.b.emit(Inst::Copy {
            w: 64,
            dst: self.mark,
            a: zero,
        });
        self.local = self.b.reg();
        let (size, name) = (self.int(LOCAL), self.b.string("local"));
        self.b.emit(Inst::Alloca {
            align: 8,
            dst: self.local,
            size,
            name,
        });
    }

    /// A register's first value: often from the input.
    fn begin(&mut self, dst: Reg, w: u32) {
        let bytes = w / 8;
        let (input, size) = self.input;
        let loads = self.reads_input && w.is_multiple_of(8) && u64::from(bytes) <= size;
        let byte = self.registers.get(&8).map(|all| self.r.pick(all));
        self.registers.entry(w).or_default().push(dst);
        if self.r.below(3) == 0 {
            let a = self.constant(w);
            let w = w as u8;
            self.b.emit(Inst::Copy { w, dst, a });
        } else if loads {
            let at = input + self.r.below(size - u64::from(bytes) + 1);
            let address = self.int(at);
            let bytes = bytes as u8;
            self.b.emit(Inst::Load {
                bytes,
                dst,
                address,
            });
        } else {
            let a = byte.map_or_else(|| self.constant(8), Val::reg);
            let to = w as u8;
            self.b.emit(match (w < 8, self.r.below(2) == 0) {
                (true, _) => Inst::Trunc { w: 8, to, dst, a },
                (_, true) => Inst::Zext { w: 8, to, dst, a },
                (_, false) => Inst::Sext { w: 8, to, dst, a },
            });
        }
    }

    // --- control ---

    fn blocks(&mut self) {
        let rounds = self.b.reg();
        let count = 1 + self.r.below(3);
        let a = self.int(count);
        self.b.emit(Inst::Copy {
            w: 8,
            dst: rounds,
            a,
        });
        let blocks: Vec<Label> = (0..2 + self.r.below(6)).map(|_| self.b.label()).collect();
        let end = self.b.label();
        for (n, block) in blocks.iter().enumerate() {
            self.b.bind(*block);
            self.labels = blocks[n + 1..].to_vec();
            self.labels.push(end);
            if self.r.below(2) == 0 {
                let site = self.b.site(Site {
                    function: self.id,
                    location: Location::default(),
                    outcome: None,
                    lines: Vec::new(),
                    instructions: 0,
                });
                self.b.emit(Inst::Cover { site });
            }
            for _ in 0..self.r.below(9) {
                self.instruction();
            }
            self.terminator();
        }
        self.b.bind(end);
        if self.r.below(3) == 0 {
            let (zero, one, done) = (self.int(0), self.int(1), self.b.label());
            let again = blocks[0].pc();
            self.b.emit(Inst::Sub {
                w: 8,
                dst: rounds,
                a: rounds.into(),
                b: one,
            });
            self.b.emit(Inst::CmpBranch {
                op: CmpOp::Ult,
                w: 8,
                a: zero,
                b: rounds.into(),
                then: again,
                other: done.pc(),
            });
            self.b.bind(done);
        }
        let results = SHAPES[self.id as usize].1;
        let values: Vec<Val> = results.iter().map(|w| self.value(u32::from(*w))).collect();
        self.b.ret(&values);
    }

    fn label(&mut self) -> Label {
        self.r.pick(&self.labels)
    }

    /// Leaves the block, mostly; else it falls into the next one.
    fn terminator(&mut self) {
        let (then, other) = (self.label().pc(), self.label().pc());
        match self.r.below(12) {
            0 => self.b.emit(Inst::Jump { target: then }),
            1..4 => {
                let c = self.value(1);
                self.b.emit(Inst::Branch { c, then, other });
            }
            4..7 => {
                let (op, w) = (self.r.pick(CmpOp::ALL), self.r.pick(&NARROW));
                let (a, b) = (self.value(w), self.value(w));
                let w = w as u8;
                self.b.emit(Inst::CmpBranch {
                    op,
                    w,
                    a,
                    b,
                    then,
                    other,
                });
            }
            7..9 => {
                let w = self.r.pick(&[3, 8, 32, 64]);
                let value = self.value(w);
                let mut cases: Vec<u64> = (0..self.r.below(4)).map(|_| self.r.below(8)).collect();
                cases.sort_unstable();
                cases.dedup();
                let cases: Vec<_> = cases.into_iter().map(|c| (c, self.label())).collect();
                let default = self.label();
                self.b.switch(w as u8, value, &cases, default);
            }
            9 if self.r.below(12) == 0 => {
                let what = self.b.string("nothing that anybody supports");
                let end = self
                    .r
                    .pick(&[Inst::Unreachable, Inst::Trap, Inst::Unsupported { what }]);
                self.b.emit(end);
            }
            _ => {}
        }
    }

    // --- straight-line code ---

    fn instruction(&mut self) {
        match self.r.below(16) {
            0..7 => self.any(),
            7 => self.division(),
            8..13 => self.memory(),
            13 if self.r.below(2) == 0 => self.bulk(),
            13 => self.lifetime(),
            14 => self.call(),
            _ if self.r.below(3) == 0 => self.check(),
            _ => self.any(),
        }
    }

    /// An instruction that only computes.
    fn any(&mut self) {
        const ELSEWHERE: &[&str] = &[
            "UDiv",
            "SDiv",
            "URem",
            "SRem",
            "Load",
            "Store",
            "LoadIndex",
            "StoreIndex",
            "LoadOffset",
            "StoreOffset",
            "Alloca",
            "StackSave",
            "StackRestore",
            "ScopeStart",
            "ScopeEnd",
            "MemCopy",
            "MemMove",
            "MemSet",
            "Jump",
            "Branch",
            "CmpBranch",
            "Switch",
            "Invoked",
            "Call",
            "CallSite",
            "Ret",
            "Unreachable",
            "Trap",
            "Unsupported",
            "Cover",
            "Check",
        ];
        loop {
            let name = self.r.pick(Inst::NAMES);
            if ELSEWHERE.contains(&name) || name.starts_with("Float") && !self.floats {
                continue;
            }
            let mut inst = Inst::blank(name).expect("it has the name");
            let Ok(()) = inst.fields(self);
            if inst.rule().is_ok() {
                self.b.emit(inst);
                return;
            }
        }
    }

    fn division(&mut self) {
        let w = self.r.pick(&NARROW);
        let (dst, a) = (self.register(w), self.value(w));
        let divisor = self.register(w);
        let (b, w) = (Val::reg(divisor), w as u8);
        if self.r.below(4) != 0 {
            let one = self.int(1);
            self.b.emit(Inst::Or {
                w,
                dst: divisor,
                a: b,
                b: one,
            });
        }
        let signed = self.r.below(2) == 0;
        let kind = if signed {
            CheckKind::SignedDiv
        } else {
            CheckKind::DivZero
        };
        if self.r.below(3) != 0 {
            self.b.emit(Inst::Check { kind, w, a, b });
        }
        self.b.emit(match (signed, self.r.below(2) == 0) {
            (true, true) => Inst::SDiv { w, dst, a, b },
            (true, false) => Inst::SRem { w, dst, a, b },
            (false, true) => Inst::UDiv { w, dst, a, b },
            (false, false) => Inst::URem { w, dst, a, b },
        });
    }

    fn check(&mut self) {
        let (kind, w) = (self.r.pick(CheckKind::ALL), self.r.pick(&NARROW));
        // The operands of this one are distances and sizes.
        let w = if kind == CheckKind::Overlap { 64 } else { w };
        let (a, b) = (self.value(w), self.value(w));
        let w = w as u8;
        self.b.emit(Inst::Check { kind, w, a, b });
    }

    /// A register with a number up to the mask.
    fn masked(&mut self, mask: u64) -> Val {
        let (dst, a, b) = (self.register(64), self.value(64), self.int(mask));
        self.b.emit(Inst::And { w: 64, dst, a, b });
        dst.into()
    }

    fn memory(&mut self) {
        let bytes = 1 + self.r.below(8) as u8;
        let w = u32::from(bytes) * 8;
        let dst = self.register(w);
        // A narrower value is stored with zeros above it.
        let narrower = NARROW.iter().copied().filter(|n| *n <= w);
        let stored = if self.r.below(3) == 0 {
            self.r.pick(&narrower.collect::<Vec<_>>())
        } else {
            w
        };
        let value = self.value(stored);
        let loads = self.r.below(2) == 0;
        // Seldom it misses.
        let miss = if self.r.below(50) == 0 {
            self.r.pick(&[4096, 12, -9])
        } else {
            0
        };
        let (base, offset) = if self.r.below(2) == 0 {
            (self.int(self.buffer), self.r.below(BUFFER - 8))
        } else {
            (self.local.into(), self.r.below(LOCAL - 8))
        };
        let offset = offset as i32 + miss;
        match self.r.below(3) {
            0 => self.b.emit(if loads {
                Inst::LoadOffset {
                    bytes,
                    dst,
                    base,
                    offset,
                }
            } else {
                Inst::StoreOffset {
                    bytes,
                    base,
                    offset,
                    value,
                }
            }),
            1 => {
                let mask = self.r.pick(&[7, 15, 31]);
                let index = self.masked(mask);
                let scale = if base == self.local.into() {
                    1
                } else {
                    self.r.pick(&[1, 2, 4])
                };
                self.b.emit(if loads {
                    Inst::LoadIndex {
                        bytes,
                        dst,
                        base,
                        index,
                        scale,
                    }
                } else {
                    Inst::StoreIndex {
                        bytes,
                        base,
                        index,
                        scale,
                        value,
                    }
                });
            }
            _ => {
                let mask = self.r.pick(&[3, 7, 31]);
                let index = self.masked(mask);
                let at = self.register(64);
                self.b.emit(Inst::Index {
                    dst: at,
                    base,
                    index,
                    scale: 1,
                });
                let address = at.into();
                self.b.emit(if loads {
                    Inst::Load {
                        bytes,
                        dst,
                        address,
                    }
                } else {
                    Inst::Store {
                        bytes,
                        address,
                        value,
                    }
                });
            }
        }
    }

    /// Objects that come and go; seldom one is used when it is gone.
    fn lifetime(&mut self) {
        let (object, bytes) = (self.register(64), 8);
        let (address, value) = (object.into(), self.value(64));
        let late = self.r.below(12) == 0;
        let access = if self.r.below(2) == 0 {
            Inst::Store {
                bytes,
                address,
                value,
            }
        } else {
            Inst::Load {
                bytes,
                dst: self.register(64),
                address,
            }
        };
        let size = self.int(16);
        match self.r.below(3) {
            0 => {
                let (address, size) = (self.local.into(), LOCAL as u32);
                self.b.emit(Inst::ScopeEnd { address, size });
                if late {
                    self.memory();
                }
                self.b.emit(Inst::ScopeStart { address, size });
                // What is in a variable whose scope begins again, no program may ask.
                let (byte, len) = (self.int(0), self.int(LOCAL));
                self.b.emit(Inst::MemSet {
                    dst: address,
                    byte,
                    len,
                });
                self.memory();
            }
            1 => {
                let (mark, name) = (self.mark, self.b.string("passing"));
                self.b.emit(Inst::StackSave { dst: mark });
                self.b.emit(Inst::Alloca {
                    align: 8,
                    dst: object,
                    size,
                    name,
                });
                self.b.emit(access);
                self.b.emit(Inst::StackRestore { mark: mark.into() });
                if late {
                    self.b.emit(Inst::Store {
                        bytes,
                        address,
                        value,
                    });
                }
            }
            _ => {
                let [malloc, free] = self.heap;
                self.b.call_import(object, malloc, &[size], &[64]);
                self.b.emit(Inst::Store {
                    bytes,
                    address,
                    value,
                });
                self.b.emit(access);
                if self.r.below(2) == 0 {
                    self.b.emit(Inst::Copy {
                        w: 64,
                        dst: self.mark,
                        a: address,
                    });
                    self.b.call_import(Reg(0), free, &[self.mark.into()], &[]);
                }
                if late {
                    self.b.emit(Inst::Store {
                        bytes,
                        address,
                        value,
                    });
                }
            }
        }
    }

    fn bulk(&mut self) {
        let (dst, src) = (
            self.buffer + self.r.below(60),
            self.buffer + 70 + self.r.below(60),
        );
        let (dst, src) = (self.int(dst), self.int(src));
        let len = match (self.r.below(4) == 0, self.r.below(10)) {
            (true, _) => self.masked(7),
            (false, len) => self.int(len),
        };
        let byte = self.value(8);
        let bulk = self.r.pick(&[
            Inst::MemCopy { dst, src, len },
            Inst::MemMove { dst, src, len },
            Inst::MemMove {
                dst: src,
                src: dst,
                len,
            },
            Inst::MemSet { dst, byte, len },
        ]);
        self.b.emit(bulk);
    }

    fn call(&mut self) {
        let later = SHAPES.len() as u64 - u64::from(self.id) - 1;
        if later == 0 {
            return self.any();
        }
        let callee = self.id + 1 + self.r.below(later) as u32;
        let (params, results) = SHAPES[callee as usize];
        let args: Vec<Val> = params.iter().map(|w| self.value(u32::from(*w))).collect();
        let dst = match results {
            [one] => self.register(u32::from(*one)),
            [first, ..] => self.flagged(u32::from(*first)),
            [] => Reg(0),
        };
        if self.r.below(3) != 0 {
            return self.b.call(dst, callee, &args);
        }
        // The same through a call site, sometimes with another type than the callee has.
        let address = layout::function_address(callee);
        let target = if self.r.below(2) == 0 {
            Target::Function(callee)
        } else {
            Target::Pointer(self.int(address))
        };
        let mut site = CallSite {
            target,
            ty: self.b.string(""),
            classes: vec![ArgClass::General; args.len()],
            args,
            widths: params.to_vec(),
            varargs: Vec::new(),
            dst,
            results: results.to_vec(),
        };
        if self.r.below(3) == 0 {
            site.results = vec![16];
            site.dst = self.register(16);
        }
        if self.r.below(4) == 0 {
            site.args.pop();
            site.widths.pop();
            site.classes.pop();
        }
        self.b.call_site(site);
    }
}

/// Random fields of an instruction that only computes.
impl Fields for Body<'_> {
    type Error = Infallible;

    fn width(
        &mut self,
        width: &mut impl IntegerField,
        allowed: RangeInclusive<u32>,
    ) -> Result<(), Infallible> {
        let all = NARROW.iter().chain(&WIDE).copied();
        let all: Vec<u32> = all.filter(|w| allowed.contains(w)).collect();
        *width = IntegerField::of(i64::from(self.r.pick(&all))).expect("in range");
        Ok(())
    }
    fn word<W: Word>(&mut self, word: &mut W) -> Result<(), Infallible> {
        *word = self.r.pick(W::ALL);
        Ok(())
    }
    fn flag(&mut self, flag: &mut bool, _: [&'static str; 2]) -> Result<(), Infallible> {
        *flag = self.r.below(2) == 0;
        Ok(())
    }
    fn read(&mut self, value: &mut Val, width: u32) -> Result<(), Infallible> {
        *value = self.value(width);
        Ok(())
    }
    fn write(&mut self, register: &mut Reg, width: u32, flag: bool) -> Result<(), Infallible> {
        *register = if flag {
            self.flagged(width)
        } else {
            self.register(width)
        };
        Ok(())
    }
    fn label(&mut self, target: &mut Pc) -> Result<(), Infallible> {
        *target = Body::label(self).pc();
        Ok(())
    }
    fn number(
        &mut self,
        _: &'static str,
        number: &mut impl IntegerField,
    ) -> Result<(), Infallible> {
        *number = IntegerField::of(self.r.below(9) as i64).expect("in range");
        Ok(())
    }
    fn string(&mut self, string: &mut StrId) -> Result<(), Infallible> {
        *string = self.b.string("");
        Ok(())
    }
    fn site(&mut self, site: &mut SiteId) -> Result<(), Infallible> {
        *site = 0;
        Ok(())
    }
}
