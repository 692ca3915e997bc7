//! `jacoco.xml`: coverage of a Java run in JaCoCo's format (report 1.1), which build servers and quality gates read.
//!
//! JaCoCo counts instructions of each line; here a line is one instruction, covered or not, so the counters that are right are
//! those of lines and methods.

use super::text::escape;
use crate::coverage::FileCoverage;
use crate::read::Run;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The document; `None` for a run that is not of a Java program, or has no coverage.
pub fn jacoco(run: &Run) -> Option<String> {
    let info = run.info.as_ref().filter(|info| info.mode == "java")?;
    let coverage = run.coverage.as_ref()?;
    let mut packages: BTreeMap<String, Vec<&FileCoverage>> = BTreeMap::new();
    for file in &coverage.files {
        packages.entry(package(file)).or_default().push(file);
    }
    let mut out = String::from(concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" \"report.dtd\">\n"
    ));
    let _ = writeln!(out, "<report name=\"{}\">", escape(&info.program));
    for (name, files) in &packages {
        let _ = writeln!(out, "  <package name=\"{}\">", escape(name));
        for file in files {
            source(&mut out, file);
        }
        out.push_str("  </package>\n");
    }
    let counts = coverage.counts();
    counter(&mut out, "  ", "LINE", counts.lines);
    counter(&mut out, "  ", "METHOD", counts.functions);
    out.push_str("</report>\n");
    Some(out)
}

/// "p/q": of the class that the file's methods are in ("p.q.A.f").
fn package(file: &FileCoverage) -> String {
    let method = file.functions.first().map_or("", |f| f.name.as_str());
    let mut parts: Vec<&str> = method.split('.').collect();
    parts.truncate(parts.len().saturating_sub(2));
    parts.join("/")
}

fn source(out: &mut String, file: &FileCoverage) {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let _ = writeln!(out, "    <sourcefile name=\"{}\">", escape(name));
    for (line, covered) in &file.lines {
        let (missed, covered) = if *covered { (0, 1) } else { (1, 0) };
        let _ = writeln!(
            out,
            "      <line nr=\"{line}\" mi=\"{missed}\" ci=\"{covered}\" mb=\"0\" cb=\"0\"/>"
        );
    }
    let counts = file.counts();
    counter(out, "      ", "LINE", counts.lines);
    counter(out, "      ", "METHOD", counts.functions);
    out.push_str("    </sourcefile>\n");
}

fn counter(out: &mut String, indent: &str, what: &str, (covered, all): (u64, u64)) {
    let _ = writeln!(
        out,
        "{indent}<counter type=\"{what}\" missed=\"{}\" covered=\"{covered}\"/>",
        all - covered
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{Coverage, FunctionCoverage};
    use crate::model::RunInfo;

    #[test]
    fn a_java_run_has_its_lines_by_package_and_file() {
        let file = FileCoverage {
            path: "/src/p/q/A.java".into(),
            lines: vec![(3, true), (4, false)],
            functions: vec![FunctionCoverage {
                line: 3,
                name: "p.q.A$B.<init>".into(),
                reached: true,
            }],
            ..FileCoverage::default()
        };
        let mut run = Run {
            info: Some(RunInfo {
                mode: "java".into(),
                ..RunInfo::default()
            }),
            coverage: Some(Coverage { files: vec![file] }),
            ..Run::default()
        };
        let text = jacoco(&run).expect("a document");
        assert!(text.contains("<package name=\"p/q\">") && text.contains("name=\"A.java\""));
        assert!(text.contains("<line nr=\"4\" mi=\"1\" ci=\"0\" mb=\"0\" cb=\"0\"/>"));
        assert!(text.contains("<counter type=\"LINE\" missed=\"1\" covered=\"1\"/>"));
        run.info = Some(RunInfo::default());
        assert_eq!(jacoco(&run), None);
    }
}
