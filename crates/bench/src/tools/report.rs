//! The results of an experiment: a table for the terminal, JSON for scripts, bars in an SVG.

use anyhow::{Context, Result};
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// One cell.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Cell {
    Text(String),
    Number(f64),
    Goal {
        value: f64,
        goal: f64,
        /// Whether the value should be at most the goal (else at least).
        at_most: bool,
    },
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::Number(value)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Cell {
        Cell::Number(value as f64)
    }
}

/// Three significant digits, with a letter for the magnitude.
pub fn number(v: f64) -> String {
    let a = v.abs();
    let (scaled, unit) = match a {
        _ if a >= 1e9 => (v / 1e9, " G"),
        _ if a >= 1e6 => (v / 1e6, " M"),
        _ if a >= 1e4 => (v / 1e3, " k"),
        _ => (v, ""),
    };
    let digits = match scaled.abs() {
        s if s >= 100.0 || s.fract() == 0.0 => 0,
        s if s >= 10.0 => 1,
        _ => 2,
    };
    format!("{scaled:.digits$}{unit}")
}

impl Cell {
    /// Whether a goal is met; other cells have none.
    pub fn is_met(&self) -> Option<bool> {
        match *self {
            Cell::Goal {
                value,
                goal,
                at_most,
            } => Some(if at_most {
                value <= goal
            } else {
                value >= goal
            }),
            _ => None,
        }
    }

    fn met(&self) -> bool {
        self.is_met() != Some(false)
    }

    fn text(&self) -> String {
        match self {
            Cell::Text(t) => t.clone(),
            Cell::Number(v) => number(*v),
            Cell::Goal {
                value,
                goal,
                at_most,
            } => {
                let mark = if self.met() { "ok" } else { "MISSED" };
                let sign = if *at_most { "<=" } else { ">=" };
                format!("{} ({mark}, {sign} {})", number(*value), number(*goal))
            }
            Cell::Empty => "-".into(),
        }
    }

    fn value(&self) -> Option<f64> {
        match self {
            Cell::Number(v) | Cell::Goal { value: v, .. } => Some(*v),
            _ => None,
        }
    }
}

/// A table with a title and remarks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
    pub remarks: Vec<String>,
    /// Columns that the plot shows as bars.
    pub plotted: Vec<usize>,
    /// Something failed that no cell shows.
    pub failures: Vec<String>,
}

impl Report {
    /// A table without rows.
    pub fn new(title: &str, columns: &[&str]) -> Report {
        let columns = columns.iter().map(|c| c.to_string()).collect();
        Report {
            title: title.into(),
            columns,
            ..Report::default()
        }
    }

    /// Whether every goal was met and nothing failed.
    pub fn met(&self) -> bool {
        self.failures.is_empty() && self.rows.iter().flatten().all(Cell::met)
    }

    /// The table as text.
    pub fn table(&self) -> String {
        let text: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(Cell::text).collect())
            .collect();
        let width = |i: usize| {
            let cells = text
                .iter()
                .filter_map(|row| row.get(i))
                .map(|c| c.chars().count());
            cells
                .chain([self.columns[i].chars().count()])
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut out = format!("{}\n", self.title);
        let mut line = |cells: &[String]| {
            for (i, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let gap = " ".repeat(width - cell.chars().count());
                // The first column is a name, the others are values.
                let _ = if i == 0 {
                    write!(out, "{cell}{gap}")
                } else {
                    write!(out, "  {gap}{cell}")
                };
            }
            out.push('\n');
        };
        line(&self.columns);
        line(&widths.iter().map(|w| "-".repeat(*w)).collect::<Vec<_>>());
        text.iter().for_each(|row| line(row));
        for remark in &self.remarks {
            let _ = writeln!(out, "* {remark}");
        }
        for failure in &self.failures {
            let _ = writeln!(out, "FAILED: {failure}");
        }
        out
    }

    /// The same as Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.map(|c| c.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut out = format!("## {}\n\n", self.title);
        out += &line(&mut self.columns.iter().cloned());
        out += &format!("|{}\n", "---|".repeat(self.columns.len()));
        for row in &self.rows {
            out += &line(&mut row.iter().map(Cell::text));
        }
        out.push('\n');
        for remark in &self.remarks {
            let _ = writeln!(out, "- {remark}");
        }
        for failure in &self.failures {
            let _ = writeln!(out, "- FAILED: {failure}");
        }
        out
    }

    /// Horizontal bars of the plotted columns, one group a row.
    pub fn svg(&self) -> String {
        const BAR: usize = 14;
        const LABEL: usize = 220;
        const WIDTH: usize = 860;
        const COLORS: &[&str] = &[
            "#3465a4", "#c4a000", "#73d216", "#75507b", "#cc0000", "#888a85", "#f57900", "#06989a",
        ];
        let group = self.plotted.len() * BAR + 8;
        let height = 60 + self.rows.len() * group + 20;
        let largest = self
            .rows
            .iter()
            .flat_map(|r| self.plotted.iter().filter_map(|c| r.get(*c)?.value()));
        let largest = largest.fold(0.0, f64::max).max(1e-9);
        let escape = |t: &str| {
            t.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
        };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"10\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{}</text>\n",
            escape(&self.title)
        );
        let mut x = 10;
        for (k, column) in self.plotted.iter().enumerate() {
            let (name, color) = (&self.columns[*column], COLORS[k % COLORS.len()]);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"32\" width=\"10\" height=\"10\" fill=\"{color}\"/><text x=\"{}\" y=\"41\">{}</text>",
                x + 14,
                escape(name)
            );
            x += 30 + 7 * name.chars().count();
        }
        for (i, row) in self.rows.iter().enumerate() {
            let top = 55 + i * group;
            let label = row.first().map(Cell::text).unwrap_or_default();
            let _ = writeln!(
                out,
                "<text x=\"10\" y=\"{}\">{}</text>",
                top + 11,
                escape(&label)
            );
            for (k, column) in self.plotted.iter().enumerate() {
                let Some(value) = row.get(*column).and_then(Cell::value) else {
                    continue;
                };
                let length = value.max(0.0) / largest * (WIDTH - LABEL - 90) as f64;
                let (y, color) = (top + k * BAR, COLORS[k % COLORS.len()]);
                let _ = writeln!(
                    out,
                    "<rect x=\"{LABEL}\" y=\"{y}\" width=\"{length:.1}\" height=\"{}\" fill=\"{color}\"/>\
                     <text x=\"{:.1}\" y=\"{}\">{}</text>",
                    BAR - 2,
                    LABEL as f64 + length + 4.0,
                    y + 10,
                    number(value)
                );
            }
        }
        out.push_str("</svg>\n");
        out
    }

    /// Writes `NAME.json`, `NAME.svg` and `NAME.txt`.
    pub fn write(&self, dir: &Path, name: &str) -> Result<()> {
        let file = |extension: &str, text: String| {
            let path = dir.join(format!("{name}.{extension}"));
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        file("json", serde_json::to_string_pretty(self)?)?;
        file("txt", self.table())?;
        file("svg", self.svg())
    }
}

/// The middle value; the mean of the two middle ones for an even count.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    match n {
        0 => None,
        _ if n % 2 == 1 => Some(sorted[n / 2]),
        _ => Some((sorted[n / 2 - 1] + sorted[n / 2]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_goals_and_plot() {
        let mut r = Report::new("Speed", &["case", "CPU s", "paths/s"]);
        r.plotted = vec![2];
        r.rows.push(vec![
            "one".into(),
            Cell::Goal {
                value: 1.0,
                goal: 1.2,
                at_most: true,
            },
            120e3.into(),
        ]);
        assert!(r.met());
        r.rows.push(vec![
            "two<".into(),
            Cell::Goal {
                value: 1.0,
                goal: 1.2,
                at_most: false,
            },
            Cell::Empty,
        ]);
        assert!(!r.met());
        let table = r.table();
        assert!(
            table.contains("120 k") && table.contains("MISSED"),
            "{table}"
        );
        assert!(r.svg().contains("two&lt;"));
        let markdown = r.markdown();
        assert!(
            markdown.contains("| case | CPU s | paths/s |\n|---|---|---|\n| one |"),
            "{markdown}"
        );
    }

    #[test]
    fn the_median() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }
}
