//! `polypath doctor`

use serde_json::json;
use toolchain::doctor::{self, DoctorLine, State};

use crate::exit::Exit;

/// The version of LLVM that Polypath is made with.
const LLVM: u32 = 19;

#[derive(clap::Args)]
pub struct Args {
    /// Write JSON: for each tool `name`, `state` (good, note, missing), `text` and `remedy`
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut findings = doctor::examine();
    findings.push(newer_llvm());
    findings.extend(java());
    if args.json {
        let lines: Vec<_> = findings.iter().map(as_json).collect();
        let all = json!({ "polypath": env!("CARGO_PKG_VERSION"), "tools": lines });
        say::out!("{}", serde_json::to_string_pretty(&all)?);
    } else {
        print(&findings);
    }
    let bad = findings.iter().any(|f| f.state == State::Bad);
    Ok(if bad { Exit::Failed } else { Exit::Nothing })
}

/// The library that lowers bitcode of newer compilers. Programs of `polypath cc` do without it.
fn newer_llvm() -> DoctorLine {
    const REMEDY: &str = "apt-get install libllvm22, or rustup toolchain install stable";
    let found = llvm_client::llvm_libraries();
    let newest = found.map(|all| all.into_iter().rfind(|library| library.version > LLVM));
    let (text, state) = match newest {
        Ok(Some(library)) => (
            format!("{} (LLVM {})", library.path.display(), library.version),
            State::Good,
        ),
        Ok(None) => (
            format!("missing; needed for bitcode of compilers that are newer than LLVM {LLVM}"),
            State::Note,
        ),
        Err(error) => (error.to_string(), State::Bad),
    };
    DoctorLine {
        name: "newer libLLVM",
        text,
        state,
        remedy: (state == State::Note).then(|| REMEDY.to_owned()),
    }
}

/// What `polypath java` needs. Without it C is explored all the same, so nothing of it counts as missing.
fn java() -> Vec<DoctorLine> {
    let home = std::env::var_os("JAVA_HOME").map(std::path::PathBuf::from);
    let (text, state, remedy) = match jvm::Tools::find(home.as_deref()) {
        Ok(tools) => {
            let (is_tried, all) = tools.tried();
            let all: Vec<String> = all.iter().map(u32::to_string).collect();
            let tried = if is_tried {
                "was tried".to_owned()
            } else {
                format!("was not tried, {} were", all.join(", "))
            };
            let (java, version) = (tools.java.display(), &tools.version);
            let text = format!("{java} (Java {version}, which {tried})");
            (text, State::Good, None)
        }
        Err(error) => (
            format!("{error}; needed by `polypath java`"),
            State::Note,
            Some("apt-get install openjdk-17-jdk-headless libasm-java".to_owned()),
        ),
    };
    vec![DoctorLine {
        name: "java",
        text,
        state,
        remedy,
    }]
}

fn name_of(state: State) -> &'static str {
    match state {
        State::Good => "good",
        State::Note => "note",
        State::Bad => "missing",
    }
}

fn as_json(line: &DoctorLine) -> serde_json::Value {
    json!({
        "name": line.name,
        "state": name_of(line.state),
        "text": line.text,
        "remedy": line.remedy,
    })
}

fn print(findings: &[DoctorLine]) {
    say::out!("polypath         {}", env!("CARGO_PKG_VERSION"));
    for finding in findings {
        let mark = match finding.state {
            State::Good => "",
            State::Note => "note: ",
            State::Bad => "MISSING: ",
        };
        say::out!("{:<16} {mark}{}", finding.name, finding.text);
    }
    let mut told = Vec::new();
    for (state, words) in [(State::Bad, "to mend it"), (State::Note, "to have it all")] {
        for finding in findings.iter().filter(|f| f.state == state) {
            if let Some(remedy) = &finding.remedy
                && !told.contains(&remedy)
            {
                say::out!("\n{words}: {remedy}");
                told.push(remedy);
            }
        }
    }
}
