//! `lcov.info`: the tracefile format of lcov(1)/geninfo(1).

use crate::coverage::Coverage;
use crate::origin;
use std::fmt::Write;

/// All files of a coverage. Counts are 1 or 0: sites are marked, not counted.
pub fn lcov(coverage: Option<&Coverage>) -> String {
    let mut out = String::new();
    let files = coverage.into_iter().flat_map(|c| &c.files);
    // What has no source has no lines either, and its readers look for the file.
    for file in files.filter(|f| origin::is_known(&f.path)) {
        let counts = file.counts();
        // A line break in a name would start another record.
        let _ = writeln!(out, "TN:\nSF:{}", file.path.replace(['\n', '\r'], "?"));
        for f in &file.functions {
            let _ = writeln!(out, "FN:{},{}", f.line, f.name);
        }
        for f in &file.functions {
            let _ = writeln!(out, "FNDA:{},{}", u32::from(f.reached), f.name);
        }
        let _ = writeln!(
            out,
            "FNF:{}\nFNH:{}",
            counts.functions.1, counts.functions.0
        );
        for (block, b) in file.branches.iter().enumerate() {
            let reached = b.taken.contains(&true);
            for (outcome, taken) in b.taken.iter().enumerate() {
                // "-": the branch itself was never reached.
                let count = if reached {
                    if *taken { "1" } else { "0" }
                } else {
                    "-"
                };
                let _ = writeln!(out, "BRDA:{},{block},{outcome},{count}", b.line);
            }
        }
        let _ = writeln!(out, "BRF:{}\nBRH:{}", counts.branches.1, counts.branches.0);
        for (line, hit) in &file.lines {
            let _ = writeln!(out, "DA:{line},{}", u32::from(*hit));
        }
        let _ = writeln!(
            out,
            "LF:{}\nLH:{}\nend_of_record",
            counts.lines.1, counts.lines.0
        );
    }
    out
}
