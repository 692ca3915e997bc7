//! Random operations on several forked memories against a model that keeps, under a few
//! assignments of the symbols, one concrete byte per address.

use polypath_memory::{
    Checks, Comparison, FaultKind, Mark, Memory, Object, Tlb, Value, Value8, trace_all,
};
use std::collections::HashMap;
use term::{Assignment, Evaluator, Pool, Sort, Symbol, Term, Trace};
use testkit::Random;

const WORLDS: usize = 3;
const SYMBOLS: usize = 6;
const GLOBAL: u64 = ir::layout::GLOBALS + 1000;
const CONSTANT: u64 = ir::layout::GLOBALS + 1700;

type Bytes = [u8; WORLDS];

/// `None`: never written.
#[derive(Clone, Default)]
struct Model {
    bytes: HashMap<u64, Option<Bytes>>,
    heap: Vec<(u64, u64)>,
    freed: Vec<u64>,
    stack: Vec<(u64, u64)>,
    marks: Vec<(Mark, usize)>,
    maps: Vec<(u64, u64)>,
}

impl Model {
    fn add(&mut self, start: u64, size: u64, content: Option<Bytes>) {
        for addr in start..start + size {
            self.bytes.insert(addr, content);
        }
    }

    fn remove(&mut self, start: u64, size: u64) {
        for addr in start..start + size {
            self.bytes.remove(&addr);
        }
    }

    fn mapped(&self, addr: u64, len: u64) -> bool {
        (addr..addr + len).all(|addr| self.bytes.contains_key(&addr))
    }

    fn initialized(&self, addr: u64, len: u64) -> bool {
        (addr..addr + len).all(|addr| self.bytes.get(&addr).is_some_and(|byte| byte.is_some()))
    }

    fn writable(&self, addr: u64, len: u64) -> bool {
        self.mapped(addr, len) && (addr + len <= CONSTANT || addr >= CONSTANT + 300)
    }

    fn read(&self, world: usize, addr: u64, len: u64) -> u64 {
        (0..len).rev().fold(0, |value, at| {
            value << 8 | self.bytes[&(addr + at)].unwrap_or_default()[world] as u64
        })
    }

    fn write(&mut self, world: usize, addr: u64, len: u64, value: u64) {
        for at in 0..len {
            let slot = self.bytes.get_mut(&(addr + at)).expect("mapped");
            let mut bytes = slot.unwrap_or_default();
            bytes[world] = (value >> (8 * at)) as u8;
            *slot = Some(bytes);
        }
    }

    fn objects(&self) -> Vec<(u64, u64)> {
        let mut all = vec![(GLOBAL, 600), (CONSTANT, 300)];
        all.extend(&self.heap);
        all.extend(&self.stack);
        all.extend(&self.maps);
        all.retain(|&(_, size)| size > 0);
        all
    }
}

struct Bench {
    random: Random,
    pool: Pool,
    tlb: Tlb,
    /// Takes turns with it, without being told of anything.
    other: Tlb,
    evaluator: Evaluator,
    assignments: Vec<Assignment>,
    symbols: Vec<Symbol>,
    uninitialized: bool,
    states: Vec<(Memory, Model)>,
    running: usize,
}

impl Bench {
    fn new(seed: u64, uninitialized: bool) -> Bench {
        let mut random = Random::new(seed);
        let mut pool = Pool::new();
        let symbols: Vec<Symbol> = (0..SYMBOLS)
            .map(|at| pool.new_symbol(&format!("s{at}"), Sort::BitVec(8)))
            .collect();
        let assignments = (0..WORLDS)
            .map(|_| {
                let mut assignment = Assignment::new();
                for &symbol in &symbols {
                    assignment.set(symbol, random.below(256));
                }
                assignment
            })
            .collect();
        let mut tlb = Tlb::new();
        let mut memory = Memory::new(Checks {
            uninitialized,
            ..Checks::default()
        });
        let mut model = Model::default();
        let content: Vec<u8> = (0..300).map(|_| random.below(4) as u8 * 60).collect();
        memory.add_global(&mut tlb, GLOBAL, 600, &content[..50], false, "g");
        memory.add_global(&mut tlb, CONSTANT, 300, &content, true, "table");
        model.add(GLOBAL, 600, Some([0; WORLDS]));
        model.add(CONSTANT, 300, Some([0; WORLDS]));
        for (at, &byte) in content.iter().enumerate() {
            model
                .bytes
                .insert(CONSTANT + at as u64, Some([byte; WORLDS]));
            if at < 50 {
                model.bytes.insert(GLOBAL + at as u64, Some([byte; WORLDS]));
            }
        }
        Bench {
            random,
            pool,
            tlb,
            other: Tlb::new(),
            evaluator: Evaluator::new(),
            assignments,
            symbols,
            uninitialized,
            states: vec![(memory, model)],
            running: 0,
        }
    }

    fn fresh(&self) -> Option<Bytes> {
        if self.uninitialized {
            None
        } else {
            Some([0; WORLDS])
        }
    }

    fn eval(&mut self, value: Value, world: usize) -> u64 {
        if value.term.is_none() {
            value.bits
        } else {
            self.evaluator
                .eval(&self.pool, value.term, &self.assignments[world])
        }
    }

    /// A term of `bytes` bytes, of one of several shapes.
    fn value(&mut self, bytes: u64) -> Value {
        if self.random.below(3) == 0 {
            return Value::concrete(self.random.next() & (u64::MAX >> (64 - 8 * bytes)));
        }
        let symbol = self.symbols[self.random.below(SYMBOLS as u64) as usize];
        let byte = self.pool.symbol_term(symbol);
        let width = 8 * bytes as u32;
        let wide = if width > 8 {
            self.pool.zext(width, byte)
        } else {
            byte
        };
        let factor = self.random.next() & (u64::MAX >> (64 - width)) | 1;
        let factor = self.pool.bv(width, factor);
        Value::symbolic(self.pool.mul(wide, factor))
    }

    /// An address in or close to an object.
    fn address(&mut self) -> u64 {
        let objects = self.states[self.running].1.objects();
        let (start, size) = objects[self.random.below(objects.len() as u64) as usize];
        match self.random.below(10) {
            0 => start + size - self.random.below(size.min(9)),
            1 => start.wrapping_sub(self.random.below(4)),
            2 => start + size + self.random.below(4),
            _ => start + self.random.below(size),
        }
    }

    fn load(&mut self) {
        let (addr, bytes) = (self.address(), 1 + self.random.below(8));
        let (memory, model) = &mut self.states[self.running];
        let fast = memory.enter(&mut self.tlb).load(addr, bytes as u32);
        let slow = memory.load(&mut self.pool, &mut self.tlb, addr, bytes as u32);
        if let Some(bits) = fast {
            assert_eq!(slow, Ok(Value::concrete(bits)));
        }
        if !model.mapped(addr, bytes) {
            let kind = slow.expect_err("not all mapped").kind;
            assert!(
                !matches!(
                    kind,
                    FaultKind::ReadOnly | FaultKind::Null | FaultKind::Uninitialized
                ) || self.uninitialized
            );
            return;
        }
        if self.uninitialized && !model.initialized(addr, bytes) {
            assert_eq!(
                slow.expect_err("uninitialized").kind,
                FaultKind::Uninitialized
            );
            return;
        }
        let value = slow.expect("all is well");
        for world in 0..WORLDS {
            let want = self.states[self.running].1.read(world, addr, bytes);
            assert_eq!(
                self.eval(value, world),
                want,
                "load of {bytes} at {addr:#x} in world {world}"
            );
        }
    }

    fn store(&mut self) {
        let (addr, bytes) = (self.address(), 1 + self.random.below(8));
        let value = self.value(bytes);
        let worlds: Vec<u64> = (0..WORLDS).map(|world| self.eval(value, world)).collect();
        let (memory, model) = &mut self.states[self.running];
        let fast = value.term.is_none()
            && memory
                .enter(&mut self.tlb)
                .store(addr, bytes as u32, value.bits);
        let result = if fast {
            Ok(())
        } else {
            memory.store(&mut self.pool, &mut self.tlb, addr, bytes as u32, value)
        };
        assert_eq!(
            result.is_ok(),
            model.writable(addr, bytes),
            "store of {bytes} at {addr:#x}"
        );
        if result.is_ok() {
            for (world, &value) in worlds.iter().enumerate() {
                model.write(world, addr, bytes, value);
            }
        } else if model.mapped(addr, bytes) {
            assert_eq!(result.expect_err("checked").kind, FaultKind::ReadOnly);
        }
    }

    /// A term for an address within an object, with bounds.
    fn symbolic_address(&mut self) -> Option<(Object, Term, u64, u64, u64)> {
        let addr = self.address();
        let memory = &self.states[self.running].0;
        let object = memory
            .object_at(addr)
            .filter(|object| object.live && object.size > 0)?;
        let bytes = (1 + self.random.below(8)).min(object.size);
        let stride = 1 << self.random.below(4);
        let room = (object.size - bytes) / stride;
        let mut mask = [0, 1, 3, 7, 15, 63, 255][self.random.below(7) as usize];
        while mask > room {
            mask >>= 1;
        }
        let slack = object.size - bytes - mask * stride;
        let base = object.start + self.random.below(slack + 1);
        let symbol = self.symbols[self.random.below(SYMBOLS as u64) as usize];
        let byte = self.pool.symbol_term(symbol);
        let wide = self.pool.zext(64, byte);
        let mask_term = self.pool.bv(64, mask);
        let index = self.pool.and(wide, mask_term);
        let stride_term = self.pool.bv(64, stride);
        let offset = self.pool.mul(index, stride_term);
        let base_term = self.pool.bv(64, base);
        let address = self.pool.add(base_term, offset);
        Some((object, address, base, base + mask * stride, bytes))
    }

    fn load_indexed(&mut self) {
        let Some((object, address, lo, hi, bytes)) = self.symbolic_address() else {
            return;
        };
        if self.uninitialized && !self.states[self.running].1.initialized(lo, hi + bytes - lo) {
            return;
        }
        let memory = &mut self.states[self.running].0;
        let value = memory
            .load_indexed(
                &mut self.pool,
                &mut self.tlb,
                &object,
                address,
                lo,
                hi,
                bytes as u32,
            )
            .expect("inside the object");
        for world in 0..WORLDS {
            let at = self.eval(Value::symbolic(address), world);
            let want = self.states[self.running].1.read(world, at, bytes);
            assert_eq!(
                self.eval(value, world),
                want,
                "indexed load of {bytes} at {at:#x} of {lo:#x}..={hi:#x}"
            );
        }
    }

    fn store_indexed(&mut self) {
        let Some((object, address, lo, hi, bytes)) = self.symbolic_address() else {
            return;
        };
        if self.uninitialized && !self.states[self.running].1.initialized(lo, hi + bytes - lo) {
            return;
        }
        let value = self.value(bytes);
        let worlds: Vec<(u64, u64)> = (0..WORLDS)
            .map(|world| {
                (
                    self.eval(Value::symbolic(address), world),
                    self.eval(value, world),
                )
            })
            .collect();
        let (memory, model) = &mut self.states[self.running];
        let result = memory.store_indexed(
            &mut self.pool,
            &mut self.tlb,
            &object,
            address,
            lo,
            hi,
            bytes as u32,
            value,
        );
        assert_eq!(result.is_err(), object.read_only);
        if result.is_ok() {
            for (world, &(at, value)) in worlds.iter().enumerate() {
                model.write(world, at, bytes, value);
            }
        }
    }

    fn copy(&mut self) {
        let (dst, src) = (self.address(), self.address());
        let len = [0, 1, 7, 30, 100, 700][self.random.below(6) as usize];
        let overlapping = self.random.below(2) == 0;
        let src = if overlapping {
            dst.wrapping_add(self.random.below(9)).wrapping_sub(4)
        } else {
            src
        };
        let (memory, model) = &mut self.states[self.running];
        let result = memory.copy(&mut self.pool, &mut self.tlb, dst, src, len);
        assert_eq!(
            result.is_ok(),
            model.mapped(src, len) && (len == 0 || model.writable(dst, len))
        );
        if result.is_ok() {
            let bytes: Vec<Option<Bytes>> =
                (src..src + len).map(|addr| model.bytes[&addr]).collect();
            for (at, byte) in bytes.into_iter().enumerate() {
                model.bytes.insert(dst + at as u64, byte);
            }
        }
    }

    fn fill(&mut self) {
        let addr = self.address();
        let len = [0, 1, 7, 40, 300, 3000][self.random.below(6) as usize];
        let mut value = self.value(1);
        if self.random.below(3) == 0 {
            value = Value::concrete(0);
        }
        let worlds: Vec<u64> = (0..WORLDS).map(|world| self.eval(value, world)).collect();
        let (memory, model) = &mut self.states[self.running];
        let result = memory.fill(&mut self.pool, &mut self.tlb, addr, value, len);
        assert_eq!(result.is_ok(), len == 0 || model.writable(addr, len));
        if result.is_ok() {
            for at in addr..addr + len {
                for (world, &value) in worlds.iter().enumerate() {
                    model.write(world, at, 1, value);
                }
            }
        }
    }

    fn bulk(&mut self) {
        let addr = self.address();
        let len = [1, 9, 60, 800][self.random.below(4) as usize];
        let (memory, model) = &mut self.states[self.running];
        let mut bytes = Vec::new();
        let result = memory.read_bytes(&mut self.pool, addr, len, &mut bytes);
        assert_eq!(
            result.is_ok(),
            model.initialized(addr, len) || !self.uninitialized && model.mapped(addr, len)
        );
        if let Some(concrete) = memory.read_concrete(addr, len) {
            assert_eq!(
                bytes,
                concrete
                    .into_iter()
                    .map(Value8::concrete)
                    .collect::<Vec<_>>()
            );
        }
        if result.is_err() {
            return;
        }
        for (at, byte) in bytes.iter().enumerate() {
            let value = Value {
                bits: byte.bits as u64,
                term: if byte.term.is_some() {
                    byte.to_term(&mut self.pool)
                } else {
                    Term::NONE
                },
            };
            for world in 0..WORLDS {
                let want = self.states[self.running].1.read(world, addr + at as u64, 1);
                assert_eq!(self.eval(value, world), want);
            }
        }
        // Write them back in another place.
        let dst = self.address();
        let (memory, model) = &mut self.states[self.running];
        let result = memory.write_bytes(&mut self.tlb, dst, &bytes);
        assert_eq!(result.is_ok(), model.writable(dst, len));
        if result.is_ok() {
            let content: Vec<Option<Bytes>> =
                (addr..addr + len).map(|addr| model.bytes[&addr]).collect();
            for (at, byte) in content.into_iter().enumerate() {
                model.bytes.insert(dst + at as u64, byte);
            }
        }
    }

    fn scans(&mut self) {
        let (a, b) = (self.address(), self.address());
        let (memory, model) = &self.states[self.running];
        let scan = memory.scan_zero(a, 500);
        let readable = |at: u64| {
            model
                .bytes
                .get(&at)
                .is_some_and(|byte| byte.is_some() || !self.uninitialized)
        };
        for at in 0..scan.len {
            let byte = model.bytes[&(a + at)].unwrap_or_default();
            if scan.symbolic.binary_search(&at).is_err() {
                assert!(byte.iter().all(|&value| value == byte[0] && value != 0));
            }
        }
        if scan.terminated {
            assert_eq!(
                model.bytes[&(a + scan.len)].unwrap_or_default(),
                [0; WORLDS]
            );
        }
        assert_eq!(
            scan.fault.is_some(),
            !readable(a + scan.len) && scan.len < 500
        );
        match memory.compare_concrete(a, b, 40) {
            Comparison::Equal => (0..40).for_each(|at| {
                assert_eq!(model.read(0, a + at, 1), model.read(0, b + at, 1));
            }),
            Comparison::Differ(at, left, right) => {
                assert_eq!(model.read(0, a + at, 1), left as u64);
                assert_eq!(model.read(0, b + at, 1), right as u64);
                (0..at)
                    .for_each(|at| assert_eq!(model.read(0, a + at, 1), model.read(0, b + at, 1)));
            }
            Comparison::NotConcrete(at) => {
                (0..at)
                    .for_each(|at| assert_eq!(model.read(0, a + at, 1), model.read(0, b + at, 1)));
            }
        }
    }

    fn allocate(&mut self) {
        let size = match self.random.below(40) {
            0 => 60_000,
            1..4 => 9000,
            random => [0u64, 1, 16, 40, 300, 2500][random as usize % 6],
        };
        let fresh = self.fresh();
        let zeroed = self.random.below(2) == 0;
        let random = self.random.below(10);
        let (memory, model) = &mut self.states[self.running];
        match random {
            0..4 if model.heap.len() < 12 => {
                let start = memory
                    .malloc(&mut self.tlb, size, 16, zeroed, 7)
                    .expect("there is room");
                model.add(start, size, if zeroed { Some([0; WORLDS]) } else { fresh });
                model.heap.push((start, size));
            }
            4 if !model.heap.is_empty() => {
                let place = self.random.below(model.heap.len() as u64) as usize;
                let (start, old) = model.heap.swap_remove(place);
                let new = memory.realloc(&mut self.pool, &mut self.tlb, start, size, 8);
                let new = new.expect("a live object").expect("there is room");
                model.add(new, size, fresh);
                for at in 0..old.min(size) {
                    let byte = model.bytes[&(start + at)];
                    model.bytes.insert(new + at, byte);
                }
                model.remove(start, old);
                model.freed.push(start);
                model.heap.push((new, size));
            }
            5 if model.stack.len() < 20 => {
                let mark = memory.stack_mark();
                model.marks.push((mark, model.stack.len()));
                for size in [size.min(20_000), 4, 30] {
                    let start = memory
                        .stack_alloc(&mut self.tlb, size, 8, 3)
                        .expect("there is room");
                    model.add(start, size, fresh);
                    model.stack.push((start, size));
                }
            }
            6 => {
                if let Some((mark, count)) = model.marks.pop() {
                    memory.stack_release(&mut self.tlb, mark);
                    for (start, size) in model.stack.split_off(count) {
                        model.remove(start, size);
                    }
                }
            }
            7 if model.maps.len() < 3 => {
                let start = memory.map_anonymous(size + 1).expect("there is room");
                let size = (size + 1).next_multiple_of(4096);
                model.add(start, size, Some([0; WORLDS]));
                model.maps.push((start, size));
            }
            8 if !model.maps.is_empty() => {
                let (start, size) = model.maps.remove(0);
                memory.unmap(&mut self.tlb, start, size);
                model.remove(start, size);
            }
            _ => {
                if !model.heap.is_empty() {
                    let place = self.random.below(model.heap.len() as u64) as usize;
                    let (start, size) = model.heap.swap_remove(place);
                    memory.free(&mut self.tlb, start).expect("a live object");
                    model.remove(start, size);
                    model.freed.push(start);
                }
                if let Some(&start) = model.freed.last() {
                    assert!(memory.free(&mut self.tlb, start).is_err());
                }
            }
        }
    }

    fn states(&mut self) {
        match self.random.below(7) {
            0 | 1 if self.states.len() < 8 => {
                let (memory, model) = &self.states[self.running];
                let child = (memory.fork(&mut self.tlb), model.clone());
                self.states.push(child);
            }
            2 if self.states.len() > 3 => {
                self.states.swap_remove(self.running);
                self.running = 0;
            }
            3 => {
                let Bench {
                    pool, tlb, states, ..
                } = self;
                pool.collect(&mut |visit| {
                    trace_all(states.iter_mut().map(|(memory, _)| memory), visit);
                    tlb.trace(visit);
                });
            }
            4 => std::mem::swap(&mut self.tlb, &mut self.other),
            _ => {
                self.running = self.random.below(self.states.len() as u64) as usize;
            }
        }
    }

    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            match self.random.below(40) {
                0..12 => self.load(),
                12..22 => self.store(),
                22..25 => self.load_indexed(),
                25..28 => self.store_indexed(),
                28..31 => self.copy(),
                31 => self.fill(),
                32 => self.bulk(),
                33 => self.scans(),
                34..37 => self.allocate(),
                _ => self.states(),
            }
        }
    }
}

fn campaign(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        Bench::new(seed, seed % 2 == 1).run(1500);
    }
}

#[test]
fn random_operations_agree_with_the_model() {
    campaign(0..16);
}

/// The same for minutes.
#[test]
#[ignore = "long; run it after changes of the crate"]
fn many_random_operations_agree_with_the_model() {
    campaign(1000..3000);
}
