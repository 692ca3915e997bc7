//! The sparse matrix of the simplex: rows `Σ aⱼ·xⱼ = 0` with integer coefficients.
//!
//! Each row owns one *basic* variable, which stands in no other row. Keeping the coefficients
//! integers without a common divisor (instead of solving the row for its basic variable) keeps
//! almost every operation on machine integers. Entries of a row know their place in the column
//! and the reverse, so that insertion and removal cost no search.

use crate::form::Var;
use crate::rational::{Rational, gcd, gcd_words};

/// One coefficient of a row.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The variable.
    pub var: Var,
    /// Its coefficient, an integer other than 0.
    pub coefficient: Rational,
    /// Index in the variable's column.
    back: u32,
}

/// Place of a coefficient, seen from its variable.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The row.
    pub row: u32,
    /// Index in the row.
    pub index: u32,
}

const NOWHERE: u32 = u32::MAX;

/// Greatest common divisor. Once a divisor is found, the others are multiples of it as a rule, which
/// one division tells.
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

/// Rows and columns.
#[derive(Clone, Default, Debug)]
pub struct Tableau {
    rows: Vec<Vec<Entry>>,
    basic: Vec<Var>,
    columns: Vec<Vec<Place>>,
    /// Row of a basic variable.
    row_of: Vec<u32>,
    /// Scratch: index in the row being changed, by variable.
    seen: Vec<u32>,
    /// Scratch: coefficients of the row being changed.
    sums: Vec<i128>,
}

impl Tableau {
    /// A new column.
    pub fn new_var(&mut self) -> Var {
        self.columns.push(Vec::new());
        self.row_of.push(NOWHERE);
        self.seen.push(NOWHERE);
        Var(self.columns.len() as u32 - 1)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The coefficients of a row.
    #[inline]
    pub fn row(&self, row: u32) -> &[Entry] {
        &self.rows[row as usize]
    }

    /// The basic variable of a row.
    #[inline]
    pub fn basic(&self, row: u32) -> Var {
        self.basic[row as usize]
    }

    /// The row of a basic variable.
    #[inline]
    pub fn row_of(&self, v: Var) -> Option<u32> {
        let row = self.row_of[v.at()];
        (row != NOWHERE).then_some(row)
    }

    /// Where a variable stands.
    #[inline]
    pub fn column(&self, v: Var) -> &[Place] {
        &self.columns[v.at()]
    }

    /// The coefficient at a place.
    #[inline]
    pub fn at(&self, place: Place) -> &Rational {
        &self.rows[place.row as usize][place.index as usize].coefficient
    }

    /// The coefficient of a row's basic variable.
    #[inline]
    pub fn basic_coefficient(&self, row: u32) -> &Rational {
        self.at(self.columns[self.basic(row).at()][0])
    }

    /// Adds the row `Σ terms = 0` (integers) whose basic variable is `basic`, one of the terms that
    /// stands in no row yet. Basic variables of other rows are eliminated. Returns the work done.
    pub fn add_row(&mut self, basic: Var, terms: &[(Var, Rational)]) -> u64 {
        debug_assert!(self.columns[basic.at()].is_empty());
        let row = self.rows.len() as u32;
        self.rows.push(Vec::new());
        self.basic.push(basic);
        for (v, c) in terms {
            debug_assert!(c.is_integer());
            self.push(row, *v, c.clone());
        }
        self.row_of[basic.at()] = row;
        let mut work = terms.len() as u64;
        for (v, _) in terms {
            if let Some(other) = self.row_of(*v)
                && other != row
            {
                let mine = self.columns[v.at()].iter().find(|p| p.row == row).copied();
                if let Some(place) = mine {
                    work += self.eliminate(place, other, *v);
                }
            }
        }
        work
    }

    /// Exchanges the roles of a row's basic variable and another variable of the row. Returns the
    /// number of coefficients touched; long ones count more.
    pub fn pivot(&mut self, row: u32, entering: Var) -> u64 {
        let leaving = self.basic(row);
        self.row_of[leaving.at()] = NOWHERE;
        self.row_of[entering.at()] = row;
        self.basic[row as usize] = entering;
        let mut work = 0;
        // Elimination removes the entry of the column that it works on.
        let mut i = 0;
        while let Some(&place) = self.columns[entering.at()].get(i) {
            if place.row == row {
                i += 1;
            } else {
                work += self.eliminate(place, row, entering);
            }
        }
        work
    }

    /// Removes the row of a basic variable, and the variable, which must be the newest one.
    pub fn remove_newest(&mut self, v: Var) {
        debug_assert_eq!(v.at() + 1, self.columns.len());
        let row = self.row_of(v).expect("a basic variable");
        while let Some(last) = self.rows[row as usize].len().checked_sub(1) {
            self.remove(Place {
                row,
                index: last as u32,
            });
        }
        let moved = self.rows.len() as u32 - 1;
        self.rows.swap_remove(row as usize);
        self.basic.swap_remove(row as usize);
        if moved != row {
            self.row_of[self.basic[row as usize].at()] = row;
            for entry in &self.rows[row as usize] {
                self.columns[entry.var.at()][entry.back as usize].row = row;
            }
        }
        self.columns.pop();
        self.row_of.pop();
        self.seen.pop();
    }

    fn push(&mut self, row: u32, var: Var, coefficient: Rational) {
        let column = &mut self.columns[var.at()];
        let entries = &mut self.rows[row as usize];
        entries.push(Entry {
            var,
            coefficient,
            back: column.len() as u32,
        });
        column.push(Place {
            row,
            index: entries.len() as u32 - 1,
        });
    }

    fn remove(&mut self, place: Place) {
        let entries = &mut self.rows[place.row as usize];
        let gone = entries.swap_remove(place.index as usize);
        if let Some(moved) = entries.get(place.index as usize) {
            self.columns[moved.var.at()][moved.back as usize].index = place.index;
        }
        let column = &mut self.columns[gone.var.at()];
        column.swap_remove(gone.back as usize);
        if let Some(moved) = column.get(gone.back as usize) {
            self.rows[moved.row as usize][moved.index as usize].back = gone.back;
        }
    }

    /// Removes the coefficient at `place` from its row by adding a multiple of row `source`, in
    /// which the variable stands too.
    fn eliminate(&mut self, place: Place, source: u32, var: Var) -> u64 {
        if let Some(work) = self.eliminate_words(place, source, var) {
            return work;
        }
        let target = place.row as usize;
        let a = self.rows[source as usize]
            .iter()
            .find(|e| e.var == var)
            .expect("the variable stands in the source row")
            .coefficient
            .clone();
        let b = self.at(place).clone();
        let g = a.gcd(&b);
        let (mut keep, mut add) = (&a / &g, &(-&b) / &g);
        if keep.is_negative() {
            (keep, add) = (-&keep, -&add);
        }
        let entries = &mut self.rows[target];
        for (i, e) in entries.iter_mut().enumerate() {
            self.seen[e.var.at()] = i as u32;
            if !keep.is_one() {
                e.coefficient = &e.coefficient * &keep;
            }
        }
        let from = std::mem::take(&mut self.rows[source as usize]);
        let mut cancelled = false;
        for e in &from {
            let i = self.seen[e.var.at()];
            if i == NOWHERE {
                self.push(place.row, e.var, &e.coefficient * &add);
            } else {
                let own = &mut self.rows[target][i as usize].coefficient;
                own.add_product(&e.coefficient, &add);
                cancelled |= own.is_zero();
            }
        }
        let work = (from.len() + self.rows[target].len()) as u64;
        self.rows[source as usize] = from;
        for e in &self.rows[target] {
            self.seen[e.var.at()] = NOWHERE;
        }
        if cancelled {
            let mut i = 0;
            while let Some(e) = self.rows[target].get(i) {
                if e.coefficient.is_zero() {
                    self.remove(Place {
                        row: place.row,
                        index: i as u32,
                    });
                } else {
                    i += 1;
                }
            }
        }
        self.make_primitive(target);
        // Products and divisors of long numbers take as many steps as the squares of their lengths.
        let row = self.rows[target].iter();
        let long: u64 = row
            .map(|e| e.coefficient.words())
            .map(|w| w + w * w / 4)
            .sum();
        work + long
    }

    /// The same when all coefficients of the two rows are machine words: the new ones are double words
    /// until their common divisor is out, and no rational is made on the way.
    fn eliminate_words(&mut self, place: Place, source: u32, var: Var) -> Option<u64> {
        let target = place.row as usize;
        let a = self.rows[source as usize].iter().find(|e| e.var == var)?;
        let (a, b) = (a.coefficient.word()?, self.at(place).word()?);
        let divisor = gcd_words(a.unsigned_abs(), b.unsigned_abs()) as i64;
        let sign = a.signum();
        let (keep, add) = ((a / divisor * sign) as i128, (-b / divisor * sign) as i128);
        self.sums.clear();
        for e in &self.rows[target] {
            self.sums.push(e.coefficient.word()? as i128 * keep);
        }
        let mut from = self.rows[source as usize].iter();
        if !from.all(|e| e.coefficient.word().is_some()) {
            return None;
        }
        for (i, e) in self.rows[target].iter().enumerate() {
            self.seen[e.var.at()] = i as u32;
        }
        let from = std::mem::take(&mut self.rows[source as usize]);
        for e in &from {
            let product = e.coefficient.word()? as i128 * add;
            let i = self.seen[e.var.at()];
            if i == NOWHERE {
                self.push(place.row, e.var, Rational::ZERO);
                self.sums.push(product);
            } else {
                // Two products of words: no overflow.
                self.sums[i as usize] += product;
            }
        }
        let work = (from.len() + self.rows[target].len()) as u64;
        self.rows[source as usize] = from;
        let divisor = common_divisor(&self.sums);
        let mut long = 0;
        for (e, &sum) in self.rows[target].iter_mut().zip(&self.sums) {
            self.seen[e.var.at()] = NOWHERE;
            e.coefficient = match (i64::try_from(sum), i64::try_from(divisor)) {
                (_, Ok(1)) => Rational::from(sum),
                (Ok(sum), Ok(divisor)) => Rational::from(sum / divisor),
                _ => Rational::from(sum / divisor as i128),
            };
            let words = e.coefficient.words();
            long += words + words * words / 4;
        }
        // From the end: what takes a removed entry's place is not 0.
        for i in (0..self.sums.len()).rev() {
            if self.sums[i] == 0 {
                self.remove(Place {
                    row: place.row,
                    index: i as u32,
                });
            }
        }
        Some(work + long)
    }

    fn make_primitive(&mut self, row: usize) {
        let mut divisor = Rational::ZERO;
        for e in &self.rows[row] {
            divisor = divisor.gcd(&e.coefficient);
            if divisor.is_one() {
                return;
            }
        }
        if !divisor.is_zero() {
            for e in &mut self.rows[row] {
                e.coefficient = &e.coefficient / &divisor;
            }
        }
    }

    /// Do rows, columns and basis agree with each other? For tests.
    pub fn is_consistent(&self) -> bool {
        let entries: usize = self.rows.iter().map(Vec::len).sum();
        let places: usize = self.columns.iter().map(Vec::len).sum();
        entries == places
            && self.columns.iter().enumerate().all(|(v, column)| {
                column.iter().enumerate().all(|(k, p)| {
                    let e = &self.rows[p.row as usize][p.index as usize];
                    e.var.at() == v && e.back as usize == k && !e.coefficient.is_zero()
                })
            })
            && (0..self.rows.len() as u32).all(|row| {
                let b = self.basic(row);
                self.row_of(b) == Some(row) && self.column(b).len() == 1
            })
    }
}
