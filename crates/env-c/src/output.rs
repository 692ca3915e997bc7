//! The standard output and error of a C program.

use super::process::world;
use exec::Machine;
use exec::State;
use explore::Loss;
use explore::Output;
use linux::{Byte, Bytes, Stream, World};
use solver::Model;

/// The output that a path has written, under a model of it.
pub fn output(m: &mut Machine, s: &State, model: &Model) -> Output {
    let world = world(s);
    Output {
        stdout: bytes_under(m, &world.stdout_content(), model),
        stderr: bytes_under(m, &world.stderr_content(), model),
    }
}

/// Bytes of the world as a model has them.
pub fn bytes_under(m: &mut Machine, bytes: &Bytes, model: &Model) -> Vec<u8> {
    let byte = |b| match b {
        Byte::Concrete(b) => b,
        Byte::Symbolic(t) => m.reason.evaluator.eval(&m.reason.pool, t, model) as u8,
    };
    bytes.iter().map(byte).collect()
}

/// Passes on what a concrete run writes to its standard output and error.
pub fn echo(m: &mut Machine, s: &State, world: &World, since: u64) {
    for out in world.output_since(since) {
        let bytes = bytes_under(m, &out.bytes, &s.witness);
        let written = match out.stream {
            Stream::Stdout => say::pass_on(say::Stream::Stdout, &bytes),
            Stream::Stderr => say::pass_on(say::Stream::Stderr, &bytes),
            // Written to its standard input, which it may: nobody reads that.
            Stream::Stdin => Ok(()),
        };
        if let Err(e) = written {
            m.lose(Loss::Output);
            m.warn_once(format!("the program's output could not be passed on: {e}"));
        }
    }
}
