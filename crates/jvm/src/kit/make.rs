//! Makes the kit: compiles our sources, weaves the JDK's base module, links a JDK with it, and keeps the classes that each run
//! needs in the form in which a JVM has them in memory.
//!
//! It is a separate JDK and not a patch of the user's (`--patch-module`): a JVM with a patched base module reads each
//! class from a file, shares none, and takes 0.75 s to start where one of its own takes 0.2 s.

use super::{
    AGENT, ARCHIVE, DRIVER, FOLLOW, IMAGE, Kit, KitError, LIBRARY, ORIGINALS, REHEARSAL, SITES,
    SOURCES, STAND_INS, Sharing, Tools, home_of, with_runtime,
};
use crate::jvm::{Failure, Fencing, Jvm, MainInput, Options};
use crate::lengths::Lengths;
use std::borrow::Cow;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Steps that the rehearsal may take, and how long.
const STEPS: u64 = 1 << 20;
const LIMIT: Duration = Duration::from_secs(60);

/// Compiles and weaves into `dir`, which is renamed afterwards.
///
/// # Errors
/// A tool fails, or a file cannot be written.
pub(super) fn make(tools: &Tools, dir: &Path) -> Result<(), KitError> {
    let sources = dir.join("sources");
    let (mut runtime, mut library) = (Vec::new(), Vec::new());
    let (mut driver, mut stand_ins, mut rehearsal) = (Vec::new(), Vec::new(), Vec::new());
    let known = |(name, _): &&(&str, &str)| {
        let last = LAST.iter().find(|(of, _)| of == name);
        last.is_none_or(|(_, last)| tools.major <= *last)
    };
    for (name, text) in SOURCES.iter().filter(known) {
        let path = sources.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, adapted(text, tools.major).as_ref())?;
        let group = match name.split_once('/') {
            Some(("runtime", _)) => &mut runtime,
            Some((LIBRARY, _)) => &mut library,
            Some((STAND_INS, _)) => &mut stand_ins,
            Some((REHEARSAL, _)) => &mut rehearsal,
            _ => &mut driver,
        };
        group.push(path);
    }
    let javac = || {
        let mut command = Command::new(&tools.javac);
        command.args(["-nowarn", "-encoding", "UTF-8", "-d"]);
        command
    };
    // Runtime and library are parts of the base module, where nothing can be made at run time.
    for (from, to, files) in [("runtime", "base", &runtime), (LIBRARY, LIBRARY, &library)] {
        // The library calls the runtime, which is compiled first.
        let (from, runtime) = (sources.join(from), dir.join("base"));
        let patch = format!(
            "--patch-module=java.base={}:{}",
            from.display(),
            runtime.display()
        );
        let mut command = javac();
        command
            .arg(dir.join(to))
            .args([&patch, "-XDstringConcat=inline"]);
        step(command.args(files))?;
    }
    let classes = dir.join("classes");
    let mut command = javac();
    command.arg(&classes).args(with_runtime(dir));
    command.args(["-cp", &tools.class_path(dir)]);
    step(command.args(&driver))?;
    let mut command = tools.jdk("jar");
    command.arg("--create").arg("--file").arg(dir.join(DRIVER));
    step(command.arg("-C").arg(&classes).arg("."))?;
    std::fs::remove_dir_all(&classes)?;
    let way = dir.join(FOLLOW).join("polypath");
    std::fs::create_dir_all(&way)?;
    std::fs::copy(dir.join("base/polypath/Way.class"), way.join("Way.class"))?;
    let mut command = Command::new(&tools.java);
    command.args(["-cp", &tools.class_path(dir)]);
    command.arg("polypath.driver.Follow").arg(dir.join(AGENT));
    // As the agent finds it beside itself: the kit is made under another name.
    step(command.arg(format!("{FOLLOW}/")))?;
    let mut command = javac();
    command.arg(dir.join(STAND_INS)).args(with_runtime(dir));
    step(command.args(&stand_ins))?;
    let mut command = javac();
    command.arg(dir.join(REHEARSAL)).args(with_runtime(dir));
    command.arg("-cp").arg(dir.join(STAND_INS));
    step(command.args(&rehearsal))?;
    let mut command = Command::new(&tools.java);
    command
        .args(with_runtime(dir))
        .args(["-cp", &tools.class_path(dir)]);
    command
        .arg("polypath.weave.Image")
        .arg(dir.join("base"))
        .arg(dir.join(SITES))
        .arg(dir.join(LIBRARY))
        .arg(dir.join(ORIGINALS));
    step(&mut command)?;
    std::fs::remove_dir_all(&sources)?;
    link(tools, dir)
}

/// Classes of the JDK that our own versions of its classes name, and that have another name since a version of Java.
const RENAMED: [(u32, &str, &str); 1] = [(
    19,
    "jdk.internal.misc.ScopedMemoryAccess.Scope",
    "jdk.internal.foreign.MemorySessionImpl",
)];

/// Our own versions of classes whose members are others behind this version of Java: there the JDK's own stay.
const LAST: [(&str, u32); 1] = [("library/sun/security/provider/ByteArrayAccess.java", 17)];

/// A source as this version of Java has it. A renamed class is named in full wherever it stands.
fn adapted(text: &str, java: u32) -> Cow<'_, str> {
    let fit = |(since, old, _): &&(u32, &str, &str)| java >= *since && text.contains(old);
    RENAMED
        .iter()
        .filter(fit)
        .fold(Cow::Borrowed(text), |text, (_, old, new)| {
            Cow::Owned(text.replace(old, new))
        })
}

/// Links a JDK like the user's, with the woven base module.
fn link(tools: &Tools, dir: &Path) -> Result<(), KitError> {
    let modules = home_of(&tools.java)?.join("jmods");
    let (parts, woven) = (dir.join("parts"), dir.join("woven"));
    std::fs::create_dir_all(&woven)?;
    let mut command = tools.jdk("jmod");
    command.arg("extract").arg("--dir").arg(&parts);
    step(command.arg(modules.join("java.base.jmod")))?;
    let mut command = tools.jdk("jmod");
    // Of two classes of one name the first is taken.
    let classes = std::env::join_paths([dir.join("base"), parts.join("classes")]);
    let classes = classes.map_err(|e| KitError::Make(e.to_string()))?;
    command.arg("create").arg("--class-path").arg(classes);
    for (option, part) in [
        ("--cmds", "bin"),
        ("--config", "conf"),
        ("--libs", "lib"),
        ("--legal-notices", "legal"),
    ] {
        let part = parts.join(part);
        if part.is_dir() {
            command.arg(option).arg(part);
        }
    }
    step(command.arg(woven.join("java.base.jmod")))?;
    let mut command = tools.jdk("jlink");
    let path = std::env::join_paths([&woven, &modules]);
    let path = path.map_err(|e| KitError::Make(e.to_string()))?;
    command.arg("--module-path").arg(path);
    command.args(["--add-modules", "ALL-MODULE-PATH"]);
    command.args(["--no-header-files", "--no-man-pages", "--output"]);
    step(command.arg(dir.join(IMAGE)))?;
    std::fs::remove_dir_all(&parts)?;
    std::fs::remove_dir_all(&woven)?;
    Ok(())
}

/// Runs a program, and keeps the classes that were loaded for it in `dir`. The kit is at its `place` already, since a JVM compares the
/// paths of shared classes with its own.
///
/// # Errors
/// The program does not run, or the JVM keeps nothing.
pub(super) fn rehearse(tools: &Tools, place: &Path, dir: &Path) -> Result<(), KitError> {
    let list = dir.join("loaded");
    let log = dir.join("log");
    let kit = Kit {
        tools: tools.clone(),
        place: place.to_owned(),
        sharing: Sharing::Noted(list.clone()),
    };
    let options = Options {
        kit: kit.clone(),
        class_path: vec![kit.place.join(REHEARSAL)],
        entry: "rehearsal.Rehearsal.main".into(),
        lengths: Lengths::default(),
        string_length: Some(1),
        main: Some(MainInput::default()),
        heap_mb: 256,
        run_time: LIMIT,
        checks: false,
        log: log.clone(),
        fence: Fencing::Open,
        borrowed: None,
    };
    perform(&options).map_err(|e| {
        let said = std::fs::read_to_string(&log).unwrap_or_default();
        KitError::Make(format!("{e}\n{said}"))
    })?;
    let mut command = Command::new(kit.java());
    command.args(kit.module_options());
    command.args(["-XX:+UseSerialGC", "-Xshare:dump", "-Xlog:disable"]);
    let option = |name: &str, path: &Path| format!("-XX:{name}={}", path.display());
    command.arg(option("SharedClassListFile", &list));
    command.arg(option("SharedArchiveFile", &dir.join(ARCHIVE)));
    step(&mut command)?;
    std::fs::remove_file(list)?;
    std::fs::remove_file(log)?;
    Ok(())
}

/// Starts the JVM, lets it run twice, and ends it.
fn perform(options: &Options) -> Result<(), Failure> {
    let mut jvm = Jvm::start(options, &mut |_| {})?;
    for value in [0, 4] {
        let input = [("nondet", vec![value])];
        jvm.run(STEPS, LIMIT, input.into_iter())?;
    }
    jvm.finish()?;
    Ok(())
}

fn step(command: &mut Command) -> Result<(), KitError> {
    let output = host::child::output(command)?;
    if output.status.success() {
        return Ok(());
    }
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Err(KitError::Make(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_name_classes_as_the_version_of_java_does() {
        for (since, old, new) in RENAMED {
            let named: Vec<&str> = SOURCES
                .iter()
                .map(|(_, text)| *text)
                .filter(|text| text.contains(old))
                .collect();
            assert!(!named.is_empty(), "{old}");
            for text in named {
                assert_eq!(adapted(text, since - 1), text);
                let later = adapted(text, since);
                assert!(later.contains(new) && !later.contains(old), "{later}");
            }
        }
    }
}
