//! A fuzzer in a process of its own: its order is the first line of standard input, and its pace the lines after that.

use crate::figures::Figures;
use crate::fuzzer::{Order, fuzz};
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The command of such a process, which has no options.
pub const PART: &str = "fuzz-part";
/// The whole of its time, in the unit of [`Pace::set`].
pub const WHOLE: u32 = 1000;
/// A rest is never longer: a new pace is to be heard.
const LONGEST_REST: Duration = Duration::from_millis(200);

/// How much of its time a fuzzer works, and whether it has to end.
#[derive(Debug)]
pub struct Pace {
    has_ended: AtomicBool,
    share: AtomicU32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            has_ended: AtomicBool::new(false),
            share: AtomicU32::new(WHOLE),
        }
    }
}

impl Pace {
    /// Sets the part of its time in thousandths, at least one.
    pub fn set(&self, share: u32) {
        self.share.store(share.clamp(1, WHOLE), Ordering::Relaxed);
    }

    /// Ends it.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    /// Does it have to end?
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Rests as long as the work since then asks for.
    pub(crate) fn rest(&self, since: Instant) {
        let share = self.share.load(Ordering::Relaxed);
        if share < WHOLE {
            let worked = since.elapsed();
            let rest = worked * (WHOLE - share) / share;
            std::thread::sleep(rest.min(LONGEST_REST.max(worked)));
        }
    }
}

/// Fuzzes as standard input says, until that ends. Lines after the first are the part of its time that it works, in thousandths.
///
/// # Errors
/// The first line is no order, or those of [`fuzz`].
pub fn part(input: impl Read + Send + 'static, tell: &mut dyn FnMut(&str)) -> Result<Figures> {
    let mut input = BufReader::new(input);
    let mut line = String::new();
    input.read_line(&mut line).context("no order")?;
    let order: Order = serde_json::from_str(&line).context("the order")?;
    let pace = Arc::new(Pace::default());
    let heard = pace.clone();
    std::thread::Builder::new()
        .name("pace".into())
        .spawn(move || {
            for line in input.lines().map_while(Result::ok) {
                if let Ok(share) = line.parse() {
                    heard.set(share);
                }
            }
            heard.end();
        })?;
    fuzz(&order, &pace, tell)
}
