//! The sparse matrix of the simplex: rows `Σ aⱼ·xⱼ = 0` with integer coefficients.
//!
//! Each row owns one *basic* variable, which stands in no other row. Keeping the coefficients
//! integers without a common divisor (instead of solving the row for its basic variable) keeps
//! almost every operation on machine integers. Entries of a row know their place in the column
//! and the reverse, so that insertion and removal cost no search.

mod pivot;

use crate::form::Var;
use crate::rational::Rational;
use pivot::PivotScratch;

/// One coefficient of a row.
#[derive(Clone, Debug)]
pub struct RowEntry {
    /// The variable.
    pub var: Var,
    /// Its coefficient, an integer other than 0.
    pub coefficient: Rational,
    /// Index in the variable's column.
    back: u32,
}

/// Place of a coefficient, seen from its variable.
#[derive(Clone, Copy, Debug)]
pub struct ColumnLink {
    /// The row.
    pub row: u32,
    /// Index in the row.
    pub index: u32,
}

const NOWHERE: u32 = u32::MAX;

/// Rows and columns.
#[derive(Clone, Default, Debug)]
pub struct Tableau {
    rows: Vec<Vec<RowEntry>>,
    basic: Vec<Var>,
    columns: Vec<Vec<ColumnLink>>,
    /// Row of a basic variable.
    row_of: Vec<u32>,
    /// Scratch: index in the row being added to others, by variable.
    seen: Vec<u32>,
    scratch: PivotScratch,
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
    pub fn row(&self, row: u32) -> &[RowEntry] {
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
    pub fn column(&self, v: Var) -> &[ColumnLink] {
        &self.columns[v.at()]
    }

    /// The coefficient at a place.
    #[inline]
    pub fn at(&self, place: ColumnLink) -> &Rational {
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
                    work += self.eliminate_basic(place, other, *v);
                }
            }
        }
        work
    }

    /// Removes the row of a basic variable, and the variable, which must be the newest one.
    pub fn remove_newest(&mut self, v: Var) {
        debug_assert_eq!(v.at() + 1, self.columns.len());
        let row = self.row_of(v).expect("a basic variable");
        while let Some(last) = self.rows[row as usize].len().checked_sub(1) {
            self.remove(ColumnLink {
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
        entries.push(RowEntry {
            var,
            coefficient,
            back: column.len() as u32,
        });
        column.push(ColumnLink {
            row,
            index: entries.len() as u32 - 1,
        });
    }

    fn remove(&mut self, place: ColumnLink) {
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
