//! Coverage over time: read from `run.jsonl`, compared, averaged, drawn.

use serde::{Deserialize, Serialize};
use std::fmt::Write;
use testcase::TimePoint;

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// CPU seconds since the start.
    pub time: f64,
    /// What is covered by then, in whatever the suite counts.
    pub coverage: f64,
    /// Solver calls so far.
    pub queries: u64,
}

/// The time line of a run, which starts when the program is loaded; `coverage` picks what is looked at.
pub fn of(timeline: &[TimePoint], coverage: impl Fn(&TimePoint) -> f64) -> Vec<Point> {
    let start = timeline.first().map_or(0.0, |p| p.cpu_s);
    let points = timeline.iter().map(|p| Point {
        time: p.cpu_s - start,
        coverage: coverage(p),
        queries: p.queries,
    });
    points.collect()
}

/// Coverage at a time: that of the last point before it.
pub fn at(curve: &[Point], time: f64) -> f64 {
    let n = curve.partition_point(|p| p.time <= time);
    n.checked_sub(1).map_or(0.0, |i| curve[i].coverage)
}

/// The area under the curve up to `end`, as mean coverage; after the last point nothing changes.
pub fn area(curve: &[Point], end: f64) -> f64 {
    let mut sum = 0.0;
    for (i, p) in curve.iter().enumerate() {
        let next = curve.get(i + 1).map_or(end, |n| n.time.min(end));
        sum += p.coverage * (next - p.time).max(0.0);
    }
    sum / end.max(1e-9)
}

/// The first point with at least this coverage.
pub fn reaches(curve: &[Point], coverage: f64) -> Option<Point> {
    curve
        .iter()
        .find(|p| p.coverage >= coverage - 1e-9)
        .copied()
}

/// The sum of curves.
pub fn sum<'a>(curves: impl IntoIterator<Item = &'a [Point]>) -> Vec<Point> {
    // What each point adds to the point before it.
    let mut steps = Vec::new();
    for curve in curves {
        let mut before = Point::default();
        for &point in curve {
            steps.push((
                point.time,
                point.coverage - before.coverage,
                point.queries - before.queries,
            ));
            before = point;
        }
    }
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut last = Point::default();
    let points = steps.into_iter().map(|(time, coverage, queries)| {
        last = Point {
            time,
            coverage: last.coverage + coverage,
            queries: last.queries + queries,
        };
        last
    });
    points.collect()
}

/// A line of a plot.
pub struct Curve<'a> {
    pub name: &'a str,
    pub dashed: bool,
    /// (x, y) in the plot's units, x ascending.
    pub points: Vec<(f64, f64)>,
}

const COLORS: &[&str] = &[
    "#cc0000", "#3465a4", "#73d216", "#c4a000", "#75507b", "#555753", "#f57900", "#06989a",
];

/// Lines over `0..=width`, from 0 to `height`.
pub fn svg(title: &str, x_title: &str, width: f64, height: f64, lines: &[Curve]) -> String {
    const LEFT: f64 = 50.0;
    const TOP: f64 = 40.0;
    const W: f64 = 640.0;
    const H: f64 = 360.0;
    let x = |v: f64| LEFT + v / width.max(1e-9) * W;
    let y = |v: f64| TOP + H - v / height.max(1e-9) * H;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 450\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{title}</text>\n"
    );
    for i in 0..=5 {
        let v = height * f64::from(i) / 5.0;
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"#ddd\"/><text x=\"{2:.0}\" y=\"{3:.1}\" text-anchor=\"end\">{v:.0}</text>",
            LEFT + W,
            y(v),
            LEFT - 6.0,
            y(v) + 4.0
        );
    }
    for i in 0..=5 {
        let v = width * f64::from(i) / 5.0;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{v:.0}</text>",
            x(v),
            TOP + H + 16.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{x_title}</text>",
        LEFT + W / 2.0,
        TOP + H + 34.0
    );
    for (i, line) in lines.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        let dash = if line.dashed {
            " stroke-dasharray=\"5 3\""
        } else {
            ""
        };
        let points: Vec<String> = line
            .points
            .iter()
            .map(|(a, b)| format!("{:.1},{:.1}", x(*a), y(*b)))
            .collect();
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{dash} points=\"{}\"/>",
            points.join(" ")
        );
        let place = TOP + 12.0 + 18.0 * i as f64;
        let _ = writeln!(
            out,
            "<line x1=\"705\" x2=\"735\" y1=\"{place:.0}\" y2=\"{place:.0}\" stroke=\"{color}\" stroke-width=\"2\"{dash}/><text x=\"742\" y=\"{:.0}\">{}</text>",
            place + 4.0,
            line.name
        );
    }
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_and_crossings() {
        let p = |time, coverage, queries| Point {
            time,
            coverage,
            queries,
        };
        let curve = [p(1.0, 40.0, 3), p(2.0, 80.0, 9)];
        assert_eq!(area(&curve, 4.0), (40.0 + 160.0) / 4.0);
        assert_eq!(
            (at(&curve, 0.5), at(&curve, 1.5), at(&curve, 9.0)),
            (0.0, 40.0, 80.0)
        );
        assert_eq!(reaches(&curve, 80.0).map(|p| p.queries), Some(9));
        assert_eq!(reaches(&curve, 81.0), None);
        let both = sum([&curve[..], &[p(1.5, 5.0, 1)]]);
        assert_eq!(both, [curve[0], p(1.5, 45.0, 4), p(2.0, 85.0, 10)]);
        let drawn = svg(
            "t",
            "s",
            4.0,
            100.0,
            &[Curve {
                name: "a",
                dashed: true,
                points: vec![(0.0, 0.0), (4.0, 100.0)],
            }],
        );
        assert!(drawn.contains("50.0,400.0 690.0,40.0"), "{drawn}");
    }
}
