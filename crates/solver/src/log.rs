//! Raw query logs: one SMT-LIB 2 file per query, as asked, before any layer sees it.

use crate::path::PathCondition;
use crate::stats::SolverStats;
use std::fs;
use std::path::{Path, PathBuf};
use term::{Pool, Term};

pub(crate) struct QueryLog {
    dir: PathBuf,
    next: u64,
}

impl QueryLog {
    pub fn new(dir: &Path) -> Result<QueryLog, String> {
        fs::create_dir_all(dir)
            .map_err(|e| format!("cannot make the query log directory {}: {e}", dir.display()))?;
        Ok(QueryLog {
            dir: dir.to_path_buf(),
            next: 0,
        })
    }

    /// Writes one query. A file that cannot be written is counted and shown in the statistics;
    /// the run goes on.
    pub fn write(&mut self, pool: &Pool, pc: &PathCondition, cond: Term, stats: &mut SolverStats) {
        let mut terms: Vec<Term> = pc.iter().map(|c| c.term).collect();
        if cond != Term::TRUE {
            terms.push(cond);
        }
        let path = self.dir.join(format!("query-{:07}.smt2", self.next));
        self.next += 1;
        if fs::write(path, term::to_smt2(pool, &terms)).is_err() {
            stats.log_failures += 1;
        }
    }
}
