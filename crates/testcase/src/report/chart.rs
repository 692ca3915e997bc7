//! Time-line plots as inline SVG: no library, no script needed to see them.

use super::text::number;
use maud::{Markup, html};

/// One plot: a quantity over time.
pub struct Chart<'a> {
    pub title: &'a str,
    pub unit: &'a str,
    /// Curves with their names; the first is filled.
    pub series: Vec<(&'a str, Vec<(f64, f64)>)>,
    /// The vertical axis ends here at least (100 for percentages).
    pub at_least: f64,
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 24.0;
/// More points than pixels are useless.
const POINTS: usize = 240;

impl Chart<'_> {
    /// The plot in a `<figure>`.
    pub fn svg(&self) -> Markup {
        let series: Vec<_> = self.series.iter().map(|(n, p)| (*n, thin(p))).collect();
        let all = || series.iter().flat_map(|(_, p)| p.iter());
        let end = all().map(|p| p.0).fold(0.0, f64::max).max(1e-3);
        let top = nice(all().map(|p| p.1).fold(self.at_least, f64::max).max(1e-9));
        let x = |t: f64| tenths(LEFT + t / end * (WIDTH - LEFT - RIGHT));
        let y = |v: f64| HEIGHT - BOTTOM - v / top * (HEIGHT - TOP - BOTTOM);
        let base = HEIGHT - BOTTOM;
        let line = |points: &[(f64, f64)]| -> String {
            let point = |(t, v): &(f64, f64)| format!("{},{} ", x(*t), tenths(y(*v)));
            points.iter().map(point).collect()
        };
        let data = |points: &[(f64, f64)]| -> String {
            points
                .iter()
                .map(|(t, v)| format!("{t:.2},{v:.3};"))
                .collect()
        };
        let most = series
            .first()
            .map_or(0.0, |(_, p)| p.iter().map(|p| p.1).fold(0.0, f64::max));
        html! {
            figure.chart data-end=(end) data-unit=(self.unit) {
                figcaption {
                    b { (self.title) }
                    span { (number(most)) " " (self.unit) }
                }
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (self.title) " over time" } {
                    @for value in (0..=4).map(|i| top * f64::from(i) / 4.0) {
                        @let at = y(value);
                        line.grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(tenths(at)) y2=(tenths(at)) {}
                        text.tick x=(LEFT - 7.0) y=(tenths(at + 3.5)) text-anchor="end" { (number(value)) }
                    }
                    @for t in (0..=4).map(|i| end * f64::from(i) / 4.0) {
                        text.tick x=(x(t)) y=(HEIGHT - 6.0) text-anchor="middle" { (seconds(t)) }
                    }
                    @for (i, (name, points)) in series.iter().enumerate() {
                        @if let (0, [first, .., last]) = (i, points.as_slice()) {
                            polygon.fill.s0 points={
                                (x(first.0)) "," (base) " " (line(points)) (x(last.0)) "," (base)
                            } {}
                        }
                        polyline.line.{ "s" (i) } points=(line(points)) data-name=(name) data-points=(data(points)) {}
                    }
                    line.cursor y1="14" y2="166" x1="-9" x2="-9" {}
                }
                @if series.len() > 1 {
                    div.legend {
                        @for (i, (name, _)) in series.iter().enumerate() {
                            span.{ "s" (i) } { (name) }
                        }
                    }
                }
                output {}
            }
        }
    }
}

/// A coordinate.
fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

/// Keeps at most `POINTS` points, the first and the last among them, finite and in order.
fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let good: Vec<_> = points
        .iter()
        .copied()
        .filter(|(t, v)| t.is_finite() && v.is_finite() && *t >= 0.0)
        .collect();
    if good.len() <= POINTS {
        return good;
    }
    (0..POINTS)
        .map(|i| good[i * (good.len() - 1) / (POINTS - 1)])
        .collect()
}

/// The next 1, 2, 2.5, 4, 5 or 10 times a power of ten.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 2.5, 4.0, 5.0, 10.0];
    steps
        .iter()
        .map(|s| s * power)
        .find(|s| *s >= value * 0.999)
        .unwrap_or(10.0 * power)
}

fn seconds(t: f64) -> String {
    match t {
        t if t >= 7200.0 => format!("{:.1} h", t / 3600.0),
        t if t >= 300.0 => format!("{:.0} min", t / 60.0),
        t if t >= 10.0 || t == 0.0 => format!("{t:.0} s"),
        t => format!("{t:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_points_give_a_plot_without_nan() {
        for points in [
            vec![],
            vec![(0.0, 0.0)],
            vec![(f64::NAN, 1.0), (1.0, f64::INFINITY), (2.0, 3.0)],
            (0..10_000)
                .map(|i| (f64::from(i), f64::from(i * i)))
                .collect(),
        ] {
            let svg = Chart {
                title: "<t>",
                unit: "",
                series: vec![("a", points)],
                at_least: 0.0,
            }
            .svg()
            .into_string();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(svg.len() < 20_000 && svg.contains("&lt;t&gt;"));
        }
    }

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!(
            [0.7, 1.0, 23.0, 99.0, 401.0].map(nice),
            [1.0, 1.0, 25.0, 100.0, 500.0]
        );
    }
}
