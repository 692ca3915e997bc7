//! Elimination: a multiple of one row is added to others so that a variable stands in it alone.
//!
//! The row that is added is spread out once, its words in a vector. In a pivot the variable that leaves takes the
//! entering one's places in all rows, so that rows keep their shape but for true fill-in and cancellation. Where the magnitudes
//! allow it, sums are machine words; else double words until their common divisor is out; big numbers
//! take a path of their own.

use super::{ColumnLink, NOWHERE, Tableau};
use crate::form::Var;
use crate::rational::{Rational, gcd, gcd_words};
use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};

/// What elimination works with.
#[derive(Clone, Default, Debug)]
pub(super) struct PivotScratch {
    /// The words of the row being added, if all of them are.
    source: Vec<i64>,
    /// All magnitudes of them.
    magnitude: u64,
    /// By index in that row, the latest row (and 1) that has the variable, too.
    shared: Vec<u32>,
    /// Coefficients of the row being changed.
    words: Vec<i64>,
    /// Those of the row being added, beside them.
    parts: Vec<i64>,
    sums: Vec<i128>,
    /// Rows in which something is 0 now.
    cancelled: Vec<u32>,
}

/// The row that is added to others, taken out of the tableau.
struct Source {
    entries: Vec<super::RowEntry>,
    /// Where the variable to eliminate stands.
    at: usize,
    /// In a pivot, where the variable that takes its places stands.
    heir: Option<usize>,
    is_words: bool,
}

/// Below this magnitude a quotient of floats is exact when it is an integer.
const EXACT: u64 = 1 << 53;

/// Takes the common divisor out of numbers. Once a divisor is found, the others are multiples of it as a
/// rule, which their quotients tell; those are floats where that is exact.
fn make_primitive(numbers: &mut [i64], quotients: &mut Vec<i64>, magnitude: u64) {
    let mut some = numbers.iter().map(|n| n.unsigned_abs()).filter(|&n| n != 0);
    let first = some.next().unwrap_or(1);
    let mut divisor = some.next().map_or(first, |n| gcd_words(first, n));
    while divisor > 1 {
        let d = divisor as i64;
        quotients.clear();
        let rest = numbers.iter().find_map(|&number| {
            let quotient = if magnitude < EXACT {
                (number as f64 / d as f64) as i64
            } else {
                number / d
            };
            quotients.push(quotient);
            let rest = number - quotient * d;
            (rest != 0).then_some(rest)
        });
        match rest {
            Some(rest) => divisor = gcd_words(divisor, rest.unsigned_abs()),
            None => {
                numbers.copy_from_slice(quotients);
                break;
            }
        }
    }
}

/// Greatest common divisor of double words.
fn common_divisor(numbers: &[i128]) -> u128 {
    let mut divisor = 0;
    for number in numbers.iter().map(|n| n.unsigned_abs()) {
        let rest = match (u64::try_from(number), u64::try_from(divisor)) {
            (_, Ok(0)) => number,
            (_, Ok(1)) => break,
            (Ok(number), Ok(divisor)) => (number % divisor) as u128,
            _ => number % divisor,
        };
        if rest != 0 {
            divisor = gcd(divisor, rest);
        }
    }
    divisor
}

impl Tableau {
    /// Exchanges the roles of a row's basic variable and another variable of the row. Returns the
    /// number of coefficients touched; long ones count more.
    pub fn pivot(&mut self, row: u32, entering: Var) -> u64 {
        let leaving = self.basic(row);
        self.row_of[leaving.at()] = NOWHERE;
        self.row_of[entering.at()] = row;
        self.basic[row as usize] = entering;
        let heir = self.columns[leaving.at()][0].index as usize;
        let mut source = self.spread(row, entering, Some(heir));
        // The variable that leaves takes the places of the entering one, but for this row's.
        self.columns.swap(leaving.at(), entering.at());
        let own = source.entries[source.at].back;
        self.columns[leaving.at()][own as usize].index = heir as u32;
        self.columns[entering.at()][0].index = source.at as u32;
        source.entries[heir].back = own;
        source.entries[source.at].back = 0;
        let mut work = 0;
        for i in 0..self.columns[leaving.at()].len() {
            let place = self.columns[leaving.at()][i];
            if place.row != row {
                work += self.eliminate(place, &source);
            }
        }
        self.gather(row, source);
        work
    }

    /// Removes the coefficient at `place` from its row by adding a multiple of another row, in whose basic variable it is.
    pub(super) fn eliminate_basic(&mut self, place: ColumnLink, source: u32, var: Var) -> u64 {
        let from = self.spread(source, var, None);
        let work = self.eliminate(place, &from);
        self.gather(source, from);
        work
    }

    /// Takes a row out to add it to others.
    fn spread(&mut self, row: u32, var: Var, heir: Option<usize>) -> Source {
        let entries = std::mem::take(&mut self.rows[row as usize]);
        let scratch = &mut self.scratch;
        scratch.source.clear();
        scratch.magnitude = 0;
        let mut at = 0;
        for (i, e) in entries.iter().enumerate() {
            self.seen[e.var.at()] = i as u32;
            if e.var == var {
                at = i;
            }
            if let Some(word) = e.coefficient.word() {
                scratch.source.push(word);
                scratch.magnitude |= word.unsigned_abs();
            }
        }
        scratch.shared.clear();
        scratch.shared.resize(entries.len(), 0);
        Source {
            at,
            heir,
            is_words: scratch.source.len() == entries.len(),
            entries,
        }
    }

    /// Puts it back, and removes what is 0 in the others now.
    fn gather(&mut self, row: u32, source: Source) {
        for e in &source.entries {
            self.seen[e.var.at()] = NOWHERE;
        }
        self.rows[row as usize] = source.entries;
        while let Some(row) = self.scratch.cancelled.pop() {
            self.sweep(row);
        }
    }

    /// Removes the coefficient at `place` from its row by adding a multiple of the source; the heir, if there is one,
    /// takes the place.
    fn eliminate(&mut self, place: ColumnLink, source: &Source) -> u64 {
        let is_words = self.load(place, source);
        let work = source.entries.len() + self.rows[place.row as usize].len();
        let work = (work + source.heir.is_some() as usize) as u64;
        if is_words && source.is_words {
            self.eliminate_words(place, source, work)
        } else {
            self.eliminate_long(place, source, work)
        }
    }

    /// Copies the words of a row and of the source beside them; `false`: some are longer. Variables of the source that the
    /// row lacks get an entry, 0 at first; the heir takes the place of the variable to
    /// eliminate, whose coefficient stays there for the moment.
    fn load(&mut self, place: ColumnLink, source: &Source) -> bool {
        let heir = source.heir.unwrap_or(source.at);
        let row = &mut self.rows[place.row as usize];
        row[place.index as usize].var = source.entries[heir].var;
        let PivotScratch {
            source: from,
            shared,
            words,
            parts,
            ..
        } = &mut self.scratch;
        words.clear();
        parts.clear();
        let stamp = place.row + 1;
        let (mut is_words, mut common) = (true, source.heir.is_some() as usize);
        for e in row.iter() {
            let word = e.coefficient.word();
            is_words &= word.is_some();
            words.push(word.unwrap_or(0));
            let i = self.seen[e.var.at()] as usize;
            parts.push(from.get(i).copied().unwrap_or(0));
            if let Some(slot) = shared.get_mut(i) {
                *slot = stamp;
                common += 1;
            }
        }
        if common < source.entries.len() {
            for (i, e) in source.entries.iter().enumerate() {
                let is_eliminated = i == source.at;
                if self.scratch.shared[i] != stamp && !is_eliminated {
                    self.push(place.row, e.var, Rational::ZERO);
                    self.scratch.words.push(0);
                    let part = self.scratch.source.get(i);
                    self.scratch.parts.push(part.copied().unwrap_or(0));
                }
            }
        }
        is_words
    }

    /// All coefficients of the two rows are words, and loaded.
    fn eliminate_words(&mut self, place: ColumnLink, source: &Source, work: u64) -> u64 {
        let PivotScratch {
            source: from,
            magnitude,
            words,
            parts,
            sums,
            ..
        } = &mut self.scratch;
        let (a, b) = (from[source.at], words[place.index as usize]);
        let divisor = gcd_words(a.unsigned_abs(), b.unsigned_abs()) as i64;
        let (keep, add) = match divisor * a.signum() {
            1 => (a, -b),
            divisor => (a / divisor, -b / divisor),
        };
        if source.heir.is_some() {
            // What is kept of the eliminated one is 0.
            words[place.index as usize] = 0;
        }
        let own = words.iter().fold(0, |all, w| all | w.unsigned_abs());
        let bits = |a: u64, b: i64| 128 - a.leading_zeros() - b.unsigned_abs().leading_zeros();
        let row = &mut self.rows[place.row as usize];
        let mut long = 0;
        let mut is_cancelled = false;
        // Products below 2^62, sums below 2^63.
        if bits(own, keep) <= 62 && bits(*magnitude, add) <= 62 {
            let mut magnitude = 0;
            for (word, part) in words.iter_mut().zip(parts.iter()) {
                *word = *word * keep + *part * add;
                magnitude |= word.unsigned_abs();
            }
            make_primitive(words, parts, magnitude);
            for (e, word) in row.iter_mut().zip(words.iter()) {
                is_cancelled |= *word == 0;
                e.coefficient = Rational::from(*word);
            }
        } else {
            sums.clear();
            for (&word, &part) in words.iter().zip(parts.iter()) {
                // Two products of words: no overflow.
                sums.push(word as i128 * keep as i128 + part as i128 * add as i128);
            }
            let divisor = common_divisor(sums);
            for (e, &sum) in row.iter_mut().zip(sums.iter()) {
                is_cancelled |= sum == 0;
                e.coefficient = match (i64::try_from(sum), i64::try_from(divisor)) {
                    (_, Ok(1)) => Rational::from(sum),
                    (Ok(sum), Ok(divisor)) => Rational::from(sum / divisor),
                    _ => Rational::from(sum / divisor as i128),
                };
                let words = e.coefficient.words();
                long += words + words * words / 4;
            }
        }
        if is_cancelled {
            self.scratch.cancelled.push(place.row);
        }
        work + long
    }

    /// Some coefficients are longer than words.
    fn eliminate_long(&mut self, place: ColumnLink, source: &Source, work: u64) -> u64 {
        let target = place.row as usize;
        let whole = |c: &Rational| c.whole().expect("an integer").into_owned();
        let a = whole(&source.entries[source.at].coefficient);
        let b = whole(self.at(place));
        let divisor = IBig::from((&a).gcd(&b));
        let (mut keep, mut add) = (a / &divisor, -b / &divisor);
        if keep < IBig::ZERO {
            (keep, add) = (-keep, -add);
        }
        if source.heir.is_some() {
            self.rows[target][place.index as usize].coefficient = Rational::ZERO;
        }
        let mut divisor = UBig::ZERO;
        let mut sums: Vec<IBig> = Vec::with_capacity(self.rows[target].len());
        for e in &self.rows[target] {
            let own = e.coefficient.whole().expect("an integer");
            let mut sum = &*own * &keep;
            if let Some(part) = source.entries.get(self.seen[e.var.at()] as usize) {
                sum += &*part.coefficient.whole().expect("an integer") * &add;
            }
            if !divisor.is_one() && !sum.is_zero() {
                divisor = if divisor.is_zero() {
                    sum.clone().into_parts().1
                } else {
                    (&divisor).gcd(&sum)
                };
            }
            sums.push(sum);
        }
        let is_multiple = !divisor.is_one() && !divisor.is_zero();
        // Products and divisors of long numbers take as many steps as the squares of their lengths.
        let mut long = 0;
        for (e, sum) in self.rows[target].iter_mut().zip(sums) {
            e.coefficient = Rational::from_integer(if is_multiple { sum / &divisor } else { sum });
            let words = e.coefficient.words();
            long += words + words * words / 4;
        }
        self.scratch.cancelled.push(place.row);
        work + long
    }

    /// Removes what is 0 in a row.
    fn sweep(&mut self, row: u32) {
        // From the end: what takes a removed entry's place is not 0.
        for index in (0..self.rows[row as usize].len() as u32).rev() {
            let place = ColumnLink { row, index };
            if self.at(place).is_zero() {
                self.remove(place);
            }
        }
    }
}
