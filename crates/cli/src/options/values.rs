//! Parsers of option values.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use search::homi::{METHODS, Span};
use solver::{ArrayMethod, LayerId, SatStart, Technique, TheoryKind};
use std::time::Duration;
use vocab::{Check, Checks, Group};

/// Permission bits as the shell's `umask` takes them.
pub fn octal(text: &str) -> Result<u32, String> {
    u32::from_str_radix(text, 8)
        .ok()
        .filter(|mask| *mask <= 0o777)
        .ok_or_else(|| format!("`{text}` is not a mask (examples: 022, 077)"))
}

/// "90", "1.5", "15m", "2h", "1d" as a duration; zero is "no limit".
pub fn seconds(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.trim().strip_suffix(['s', 'm', 'h', 'd']) {
        Some(number) => (number, text.trim().as_bytes()[number.len()]),
        None => (text.trim(), b's'),
    };
    let factor = match unit {
        b'm' => 60.0,
        b'h' => 3600.0,
        b'd' => 86400.0,
        _ => 1.0,
    };
    number
        .parse::<f64>()
        .ok()
        .map(|n| n * factor)
        .and_then(|n| Duration::try_from_secs_f64(n).ok())
        .ok_or_else(|| format!("`{text}` is not a time (examples: 90, 15m, 2h)"))
}

/// Seconds as `--time` takes them, or ticks.
pub fn span(text: &str) -> Result<Span, String> {
    match text.strip_suffix('t').map(str::parse) {
        Some(Ok(ticks)) if ticks > 0 => Ok(Span::Ticks(ticks)),
        Some(_) => Err(format!("`{text}` is no number of ticks (example: 20000t)")),
        None => match seconds(text)?.as_secs_f64() {
            0.0 => Err("the time is zero".into()),
            s => Ok(Span::Seconds(s)),
        },
    }
}

/// A part of a whole.
pub fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|r| (0.0..1.0).contains(r) && *r > 0.0);
    share.ok_or_else(|| format!("`{text}` is no share (example: 0.6)"))
}

/// A part of a whole in percent.
pub fn percent(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>();
    let percent = percent.ok().filter(|p| (0.0..=90.0).contains(p));
    let percent =
        percent.ok_or_else(|| format!("`{text}` is no part from 0 to 90 percent (example: 5)"))?;
    Ok(percent / 100.0)
}

/// "4" or "2-4".
pub fn sizes(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = text.split_once('-').unwrap_or(("0", text));
    let number = |t: &str| t.parse::<u16>().map_err(|e| format!("{t}: {e}"));
    let (least, most) = (number(least)?, number(most)?);
    if least > most {
        return Err(format!("{least} is more than {most}"));
    }
    Ok((least.into(), most.into()))
}

/// The name of a layer of the solver.
pub fn layer(text: &str) -> Result<String, String> {
    LayerId::by_name(text).map(|_| text.into())
}

/// The name of a way to decide reads of arrays.
pub fn arrays(text: &str) -> Result<String, String> {
    ArrayMethod::by_name(text).map(|_| text.into())
}

/// The name of a theory.
pub fn theory(text: &str) -> Result<String, String> {
    TheoryKind::by_name(text).map(|_| text.into())
}

/// The name of a start of SAT solvers.
pub fn sat_start(text: &str) -> Result<String, String> {
    SatStart::by_name(text).map(|_| text.into())
}

/// Reads the name of a check; `--help` lists them from the table.
pub fn checks() -> impl TypedValueParser<Value = Checks> {
    let rows = Check::ALL.iter().map(|c| (c.name(), c.help()));
    let groups = Group::ALL.iter().map(|g| (g.name, g.help));
    let value = |(name, help)| PossibleValue::new(name).help(help);
    PossibleValuesParser::new(rows.chain(groups).map(value)).map(|name| Checks::named(&name))
}

/// Reads the name of a way to plan rounds of pruning.
pub fn homi() -> impl TypedValueParser<Value = String> {
    let values = METHODS.iter();
    PossibleValuesParser::new(values.map(|m| PossibleValue::new(m.name).help(m.help)))
}

/// The names of the techniques whose trials can be run.
pub fn techniques() -> String {
    let names: Vec<_> = Technique::ALL.iter().map(|t| t.name()).collect();
    names.join(",")
}

/// The searchers and strategies with their help.
pub fn search_help() -> String {
    let mut text = format!(
        "The state that runs next. Several names joined by commas share the time by what each has covered lately; NAME*N always has N shares, NAME*M:N has M in the first seconds and N later, NAME*M: has M and then learns [default: {}].\n",
        search::registry::DEFAULT
    );
    for entry in search::registry::searchers() {
        text.push_str(&format!("  {:<14} {}\n", entry.name, entry.help));
    }
    text.push_str(&format!(
        "With --mode concolic: the open branch that is solved for next [default: {}].\n",
        search::registry::DEFAULT_STRATEGY
    ));
    for entry in search::registry::strategies() {
        text.push_str(&format!("  {:<14} {}\n", entry.branch_name(), entry.help));
    }
    text
}

/// The array configurations with their help.
pub fn arrays_help() -> String {
    let mut text = String::from("The method that decides reads of arrays.\n");
    for (name, _, help) in ArrayMethod::ALL {
        text.push_str(&format!("  {name:<21} {help}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(seconds("90"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("2h"), Ok(Duration::from_secs(7200)));
        assert!(seconds("-1").is_err());
        assert!(seconds("soon").is_err());
        assert!(seconds("1e300").is_err());
    }

    #[test]
    fn spans_are_seconds_or_ticks() {
        assert_eq!(span("30"), Ok(Span::Seconds(30.0)));
        assert_eq!(span("15m"), Ok(Span::Seconds(900.0)));
        assert_eq!(span("500t"), Ok(Span::Ticks(500)));
        for wrong in ["0", "0t", "t", "-5t", "soon"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
        assert_eq!(share("0.5"), Ok(0.5));
        assert!(
            ["0", "1", "-1", "NaN", "x"]
                .iter()
                .all(|w| share(w).is_err())
        );
    }
}
