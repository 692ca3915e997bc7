//! `polypath doctor`

use toolchain::doctor::{self, State};

use crate::exit::Exit;

#[derive(clap::Args)]
pub struct Args {}

pub fn run(_: &Args) -> anyhow::Result<Exit> {
    let findings = doctor::examine();
    let mut remedies = Vec::new();
    say::out!("polypath         {}", env!("CARGO_PKG_VERSION"));
    for finding in &findings {
        let mark = match finding.state {
            State::Good => "",
            State::Note => "note: ",
            State::Bad => "MISSING: ",
        };
        say::out!("{:<16} {mark}{}", finding.name, finding.text);
        if let Some(remedy) = &finding.remedy
            && !remedies.contains(remedy)
        {
            remedies.push(remedy.clone());
        }
    }
    for remedy in &remedies {
        say::out!("\nto mend it: {remedy}");
    }
    let bad = findings.iter().any(|f| f.state == State::Bad);
    Ok(if bad { Exit::Failed } else { Exit::Nothing })
}
