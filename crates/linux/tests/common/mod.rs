//! A machine of one flat memory, to drive the world with.
#![allow(dead_code)]

use polypath_linux::{
    Arg, Byte, Bytes, CallAnswer, Cx, Efault, MapRefusal, MapRequest, ProgramInput, Start, Word,
    World, WorldConfig,
};
use term::{Assignment, Evaluator, Pool, Sort, Symbol, Term};

/// Where the memory of the mock starts.
pub const BASE: u64 = 0x10_0000;

pub struct Mock {
    pub pool: Pool,
    pub memory: Bytes,
    /// Decides symbolic conditions.
    pub witness: Assignment,
    pub evaluator: Evaluator,
    /// The conditions asked, with their answers.
    pub decided: Vec<(Term, bool)>,
    /// What was made concrete.
    pub concretized: Vec<String>,
    pub maps: Vec<MapRequest>,
    pub thread_pointer: u64,
    pub instructions: u64,
}

impl Mock {
    pub fn new() -> Mock {
        Mock {
            pool: Pool::new(),
            memory: Bytes::zeros(1 << 20),
            witness: Assignment::default(),
            evaluator: Evaluator::default(),
            decided: Vec::new(),
            concretized: Vec::new(),
            maps: Vec::new(),
            thread_pointer: 0,
            instructions: 0,
        }
    }

    /// Symbols for the free bytes of each object of a start; all zero under the witness.
    pub fn bind(&mut self, start: &Start) -> Vec<Bytes> {
        start
            .objects
            .iter()
            .map(|spec| {
                let mut bytes = Bytes::new();
                for (i, byte) in spec.bytes.iter().enumerate() {
                    bytes.push(match byte {
                        Some(b) => Byte::Concrete(*b),
                        None => {
                            let symbol = self
                                .pool
                                .new_symbol(&format!("{}[{i}]", spec.name), Sort::BitVec(8));
                            Byte::Symbolic(self.pool.symbol_term(symbol))
                        }
                    });
                }
                bytes
            })
            .collect()
    }

    /// Puts bytes into memory at an offset and returns their address.
    pub fn place(&mut self, offset: usize, bytes: &Bytes) -> u64 {
        for (i, byte) in bytes.iter().enumerate() {
            self.memory.put(offset + i, byte);
        }
        BASE + offset as u64
    }

    /// Puts a C string into memory.
    pub fn string(&mut self, offset: usize, text: &str) -> u64 {
        self.place(offset, &Bytes::concrete([text.as_bytes(), &[0]].concat()))
    }

    /// The bytes at an offset.
    pub fn at(&self, offset: usize, len: usize) -> Bytes {
        self.memory.slice(offset..offset + len)
    }

    /// A symbolic byte with a value under the witness.
    pub fn symbol(&mut self, name: &str, value: u8) -> (Symbol, Byte) {
        let symbol = self.pool.new_symbol(name, Sort::BitVec(8));
        self.witness.set(symbol, value as u64);
        (symbol, Byte::Symbolic(self.pool.symbol_term(symbol)))
    }

    /// A symbolic string, NUL included, whose witness is `text`.
    pub fn symbolic_string(&mut self, name: &str, text: &str, len: usize) -> Bytes {
        let mut bytes = Bytes::new();
        for i in 0..len {
            let value = text.as_bytes().get(i).copied().unwrap_or(0);
            let (_, byte) = self.symbol(&format!("{name}[{i}]"), value);
            bytes.push(byte);
        }
        bytes.push(Byte::Concrete(0));
        bytes
    }

    pub fn eval(&mut self, term: Term) -> u64 {
        self.evaluator.eval(&self.pool, term, &self.witness)
    }
}

impl Cx for Mock {
    fn pool(&mut self) -> &mut Pool {
        &mut self.pool
    }

    fn read(&mut self, addr: u64, len: u64) -> Result<Bytes, Efault> {
        let start = addr.checked_sub(BASE).ok_or(Efault)?;
        let end = start
            .checked_add(len)
            .filter(|&end| end <= self.memory.len() as u64)
            .ok_or(Efault)?;
        Ok(self.memory.slice(start as usize..end as usize))
    }

    fn write(&mut self, addr: u64, bytes: &Bytes) -> Result<(), Efault> {
        let start = addr.checked_sub(BASE).ok_or(Efault)?;
        start
            .checked_add(bytes.len() as u64)
            .filter(|&end| end <= self.memory.len() as u64)
            .ok_or(Efault)?;
        self.place(start as usize, bytes);
        Ok(())
    }

    fn concretize(&mut self, what: &str, arg: Arg) -> u64 {
        self.concretized.push(what.to_string());
        self.eval(arg.term)
    }

    fn decide(&mut self, cond: Term) -> bool {
        assert_eq!(self.pool.width(cond), 1);
        assert!(
            self.pool.as_const(cond).is_none(),
            "constants are not to be asked"
        );
        let answer = self.eval(cond) != 0;
        self.decided.push((cond, answer));
        answer
    }

    fn map_memory(&mut self, request: &MapRequest) -> Result<u64, MapRefusal> {
        self.maps.push(request.clone());
        Ok(0x7000_0000)
    }

    fn unmap_memory(&mut self, _: u64, _: u64) -> Result<(), i32> {
        Ok(())
    }

    fn protect_memory(&mut self, _: u64, _: u64, _: u32) -> Result<(), MapRefusal> {
        Ok(())
    }

    fn has_pages(&mut self, addr: u64, len: u64, _: bool) -> bool {
        addr >= BASE && addr + len <= BASE + self.memory.len() as u64
    }

    fn remap_memory(&mut self, addr: u64, _: u64, _: u64, _: bool) -> Result<u64, MapRefusal> {
        Ok(addr)
    }

    fn grow_break(&mut self, to: u64) -> u64 {
        to
    }

    fn set_thread_pointer(&mut self, addr: u64) {
        self.thread_pointer = addr;
    }

    fn thread_pointer(&self) -> u64 {
        self.thread_pointer
    }

    fn instructions(&self) -> u64 {
        self.instructions
    }
}

/// A world without symbolic input.
pub fn concrete_world(mock: &mut Mock, config: &WorldConfig) -> World {
    let start = ProgramInput::default().starts(config).remove(0);
    World::new(config, &start, &[], &mut mock.pool)
}

/// Runs a call with concrete arguments; a plain result or negative errno.
pub fn call(world: &mut World, mock: &mut Mock, nr: u64, args: &[u64]) -> i64 {
    match answer(world, mock, nr, args) {
        CallAnswer::Return(Word::Concrete(value)) => value as i64,
        CallAnswer::Return(Word::Symbolic(term)) => mock.eval(term) as i64,
        other => panic!("{other:?}"),
    }
}

/// Runs a call with concrete arguments.
pub fn answer(world: &mut World, mock: &mut Mock, nr: u64, args: &[u64]) -> CallAnswer {
    let mut all = [Arg::concrete(0); 6];
    for (arg, &value) in all.iter_mut().zip(args) {
        *arg = Arg::concrete(value);
    }
    world.syscall(nr, &all, mock)
}
