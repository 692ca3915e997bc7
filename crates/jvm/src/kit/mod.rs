//! Weaver, runtime and driver, compiled by the user's `javac` into the cache, and a JDK whose base module is woven: once for each
//! JDK. `make` builds them.

mod make;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::cache;

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The directory of Debian's libasm-java.
const ASM: &str = "/usr/share/java";
/// Its parts that the weaver is made with.
const ASM_PARTS: [&str; 4] = ["asm", "asm-tree", "asm-commons", "asm-analysis"];
/// The versions of Java that were tried.
const TRIED: [u32; 3] = [17, 21, 25];
/// Those versions of ASM 9 from which on it reads the class files of a version of Java: Java, and ASM's minor version.
const READS: [(u32, u32); 9] = [
    (17, 2),
    (18, 3),
    (19, 4),
    (20, 4),
    (21, 5),
    (22, 6),
    (23, 7),
    (24, 8),
    (25, 8),
];

/// The tools of the user's machine that are needed.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The JVM.
    pub java: PathBuf,
    /// The compiler.
    pub javac: PathBuf,
    asm: Vec<PathBuf>,
    /// The version in the form of the JVM.
    pub version: String,
    /// The version of Java, as 21.
    pub major: u32,
}

/// Why there is no kit.
#[derive(Debug)]
pub enum KitError {
    /// Something is not installed: what, and how it is had.
    Missing(&'static str, &'static str),
    /// The JDK has a version that is older or newer than those that were tried.
    Version(String),
    /// ASM is too old for the class files of this version of Java: its version, and the one that reads them.
    Asm(String, u32, u32),
    /// Reading or writing a file, or starting a program, failed.
    Io(io::Error),
    /// The sources do not compile, or the JDK cannot be woven: the tool's message.
    Make(String),
}

impl fmt::Display for KitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KitError::Missing(what, how) => write!(f, "{what} is not installed ({how})"),
            KitError::Version(found) => write!(
                f,
                "this is Java {found}; Java {} to {} works (apt-get install openjdk-17-jdk-headless, and JAVA_HOME names its place)",
                TRIED[0],
                TRIED[TRIED.len() - 1]
            ),
            KitError::Asm(found, java, minor) => write!(
                f,
                "ASM {found} does not read the class files of Java {java}; ASM 9.{minor} or later does (Debian 13's libasm-java, or a JDK of version {})",
                TRIED[0]
            ),
            KitError::Io(error) => write!(f, "the kit for Java: {error}"),
            KitError::Make(text) => write!(f, "the kit for Java cannot be made:\n{text}"),
        }
    }
}

impl std::error::Error for KitError {}

impl From<io::Error> for KitError {
    fn from(error: io::Error) -> KitError {
        KitError::Io(error)
    }
}

impl Tools {
    /// Looks for them: the JDK of `JAVA_HOME` if that is set, else the one in the PATH.
    ///
    /// # Errors
    /// Something is missing or has the wrong version.
    pub fn find(java_home: Option<&Path>) -> Result<Tools, KitError> {
        const JDK: &str = "apt-get install openjdk-17-jdk-headless";
        let program = |name: &str| match java_home {
            Some(home) => Some(home.join("bin").join(name)).filter(|p| p.is_file()),
            None => toolchain::tools::find_program(name),
        };
        let java = program("java").ok_or(KitError::Missing("java", JDK))?;
        let javac =
            program("javac").ok_or(KitError::Missing("javac (a JRE alone is not enough)", JDK))?;
        let modules = home_of(&java)?.join("jmods/java.base.jmod");
        if !modules.is_file() {
            return Err(KitError::Missing("the JDK's modules (jmods)", JDK));
        }
        let (minor, asm) =
            asm(Path::new(ASM)).ok_or(KitError::Missing("ASM 9", "apt-get install libasm-java"))?;
        // `java -version` takes a tenth of a second; the JDK's own note of its release takes none.
        let home = home_of(&java)?;
        let release = std::fs::read_to_string(home.join("release")).map_err(cache::at(&home))?;
        let version = release
            .lines()
            .find_map(|line| line.strip_prefix("JAVA_VERSION="));
        let version = version.unwrap_or_default().trim_matches('"').to_string();
        let major = version
            .split(['.', '-', '+'])
            .next()
            .and_then(|n| n.parse().ok());
        let reads = READS.iter().find(|(java, _)| Some(*java) == major);
        let Some(&(major, needed)) = reads else {
            return Err(KitError::Version(version));
        };
        if minor < needed {
            return Err(KitError::Asm(format!("9.{minor}"), major, needed));
        }
        Ok(Tools {
            java,
            javac,
            asm,
            version,
            major,
        })
    }

    /// Whether this version of Java is one of those that were tried, and which these are.
    pub fn tried(&self) -> (bool, &'static [u32]) {
        (TRIED.contains(&self.major), &TRIED)
    }

    /// The key of the kit: a hash of its sources and tools.
    fn key(&self) -> String {
        let java = self.java.display().to_string();
        let mut parts: Vec<&[u8]> = vec![self.version.as_bytes(), java.as_bytes()];
        let asm: Vec<String> = self
            .asm
            .iter()
            .map(|jar| jar.display().to_string())
            .collect();
        parts.extend(asm.iter().map(String::as_bytes));
        for (name, text) in SOURCES {
            parts.extend([name.as_bytes(), text.as_bytes()]);
        }
        format!("java-{:016x}", cache::fingerprint(&parts))
    }
}

/// The newest ASM 9 in a directory of Debian's: its minor version, and its parts.
fn asm(dir: &Path) -> Option<(u32, Vec<PathBuf>)> {
    let entries = std::fs::read_dir(dir).ok()?;
    let minors = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let minor = name.strip_prefix("asm-9.")?.strip_suffix(".jar")?;
        // `asm-9.7.1.jar`, too.
        let (minor, rest) = minor.split_once('.').unwrap_or((minor, ""));
        Some((minor.parse().ok()?, rest.to_owned()))
    });
    let found: std::collections::BTreeSet<(u32, String)> = minors.collect();
    found.into_iter().rev().find_map(|(minor, rest)| {
        let dot = if rest.is_empty() { "" } else { "." };
        let jars = ASM_PARTS.map(|part| dir.join(format!("{part}-9.{minor}{dot}{rest}.jar")));
        jars.iter()
            .all(|jar| jar.is_file())
            .then(|| (minor, jars.to_vec()))
    })
}

/// The directory of the JDK whose JVM this is.
fn home_of(java: &Path) -> io::Result<PathBuf> {
    let java = java.canonicalize()?;
    let home = java.parent().and_then(Path::parent);
    Ok(home.unwrap_or(Path::new("/")).to_owned())
}

/// The compiled classes, and the JVM that they run on.
#[derive(Clone, Debug)]
pub struct Kit {
    /// The tools that it was made with.
    pub tools: Tools,
    place: PathBuf,
    sharing: Sharing,
}

/// Classes as JVMs have them in memory (class data sharing), so that a JVM begins with them.
#[derive(Clone, Debug)]
enum Sharing {
    /// They are in this file.
    Kept(PathBuf),
    /// There are none yet; the names of those that are loaded go to this file.
    Noted(PathBuf),
}

/// The file with the meaning of the numbers of places in the JDK.
const SITES: &str = "sites";
/// The archive with weaver and driver.
const DRIVER: &str = "driver.jar";
/// The JDK with the woven base module.
const IMAGE: &str = "image";
/// The JDK's own files of the classes that are woven.
const ORIGINALS: &str = "originals";
/// The file with shared classes.
const ARCHIVE: &str = "classes.jsa";
/// The program that is run once to learn which classes are shared: its place among the sources, and in the kit.
const REHEARSAL: &str = "rehearsal";
/// The classes that stand in for those of other tools, likewise.
const STAND_INS: &str = "standins";
/// The agent that follows calls on a plain JVM, and the classes that the program sees of it.
const AGENT: &str = "follow.jar";
/// See [`AGENT`].
const FOLLOW: &str = "follow";
/// Our own versions of classes of the JDK, likewise.
const LIBRARY: &str = "library";
/// The packages of the runtime, which woven code in any class uses.
const EXPORTS: &str = "--add-exports=java.base/polypath=ALL-UNNAMED";

impl Kit {
    /// The kit, made now if need be: then `progress` is called.
    ///
    /// # Errors
    /// It cannot be made, or the cache cannot be written.
    pub fn ensure(tools: Tools, progress: &mut dyn FnMut(&str)) -> Result<Kit, KitError> {
        let key = tools.key();
        let place = cache::entry(&key, |dir, _| {
            progress("weaving the JDK (once, about 25 s)");
            make::make(&tools, dir)
        })?;
        // An entry of its own, since what is shared knows where its classes were.
        let shared = cache::entry(&format!("{key}-shared"), |dir, _| {
            make::rehearse(&tools, &place, dir)
        })?;
        Ok(Kit {
            tools,
            place,
            sharing: Sharing::Kept(shared.join(ARCHIVE)),
        })
    }

    /// The JVM with the woven JDK.
    pub fn java(&self) -> PathBuf {
        self.place.join(IMAGE).join("bin/java")
    }

    /// The directory of the user's JDK, which the program runs on.
    ///
    /// # Errors
    /// The JVM is gone.
    pub fn home(&self) -> io::Result<PathBuf> {
        home_of(&self.tools.java)
    }

    /// The JDK's own files of the classes that are woven.
    pub(crate) fn originals(&self) -> PathBuf {
        self.place.join(ORIGINALS)
    }

    /// The file with the meaning of the numbers of places in the JDK, one in each line.
    pub(crate) fn sites(&self) -> PathBuf {
        self.place.join(SITES)
    }

    /// The files and directories that a JVM with the woven JDK reads.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.place.clone()];
        if let Sharing::Kept(archive) = &self.sharing {
            files.push(archive.clone());
        }
        files.extend(self.tools.asm.iter().cloned());
        files
    }

    /// The woven classes of the JDK's base module.
    pub fn base(&self) -> PathBuf {
        self.place.join("base")
    }

    /// The directory of the classes that stand in for those of other tools.
    pub(crate) fn stand_ins(&self) -> PathBuf {
        self.place.join(STAND_INS)
    }

    /// Their sources: name and text.
    pub fn stand_in_sources() -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = SOURCES.iter();
        all.filter_map(|(name, text)| {
            let (STAND_INS, name) = name.split_once('/')? else {
                return None;
            };
            Some((name, *text))
        })
    }

    /// The class path of the driver on a plain JVM, where only `polypath.driver.Replay` works.
    pub fn plain(&self) -> String {
        // Of the classes that are made for the base module, those of our package are found.
        format!(
            "{}:{}",
            self.tools.class_path(&self.place),
            self.base().display()
        )
    }

    /// The agent of a plain JVM that follows the way of calls (`Follow.java`), and what the program under test sees of it.
    pub fn agent(&self) -> (PathBuf, PathBuf) {
        (self.place.join(AGENT), self.place.join(FOLLOW))
    }

    /// The output of `polypath.driver.Listing` about a class path, line by line. `query`: the word, and the arguments
    /// after the class path.
    ///
    /// # Errors
    /// A part of the class path cannot be read.
    pub fn list(&self, query: &[&str], class_path: &[PathBuf]) -> Result<Vec<String>, KitError> {
        let path = std::env::join_paths(class_path);
        let path = path.map_err(|e| KitError::Make(e.to_string()))?;
        let mut command = Command::new(&self.tools.java);
        command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"]);
        command.arg(self.plain()).arg("polypath.driver.Listing");
        command.arg(query[0]).arg(path).args(&query[1..]);
        let output = host::child::output(&mut command)?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(KitError::Make(text));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().map(str::to_string).collect())
    }

    /// The options with which the JVM ([`Kit::java`]) has the driver.
    pub fn options(&self) -> Vec<String> {
        let mut options = self.module_options();
        options.push(match &self.sharing {
            Sharing::Kept(archive) => format!("-XX:SharedArchiveFile={}", archive.display()),
            Sharing::Noted(list) => format!("-XX:DumpLoadedClassList={}", list.display()),
        });
        // Standard output is for records: what the JVM has to say of the archive goes elsewhere.
        options.extend(["-Xlog:disable".into(), "-Xlog:all=warning:stderr".into()]);
        options
    }

    /// Those of them that say where classes are.
    fn module_options(&self) -> Vec<String> {
        let path = self.tools.class_path(&self.place);
        vec![EXPORTS.into(), "-cp".into(), path]
    }
}

/// The options of a plain JDK with our runtime in its base module.
fn with_runtime(place: &Path) -> [String; 2] {
    let base = place.join("base");
    let patch = format!("--patch-module=java.base={}", base.display());
    [patch, EXPORTS.into()]
}

impl Tools {
    /// A program of the JDK, from the compiler's directory.
    fn jdk(&self, name: &str) -> Command {
        Command::new(self.javac.with_file_name(name))
    }

    /// The classes of weaver and driver, and their dependencies.
    fn class_path(&self, place: &Path) -> String {
        let mut path = place.join(DRIVER).display().to_string();
        for jar in &self.asm {
            path.push(':');
            path.push_str(&jar.display().to_string());
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_asm_is_taken_of_which_all_parts_are_there() {
        let dir = std::env::temp_dir().join(format!("polypath-asm-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        assert!(asm(&dir).is_none());
        let whole = ASM_PARTS;
        let files = whole
            .iter()
            .flat_map(|part| [format!("{part}-9.4"), format!("{part}-9.7.1")]);
        for name in files.chain(["asm-9.8".to_owned(), "asm-all-9.8".to_owned()]) {
            std::fs::write(dir.join(format!("{name}.jar")), "").unwrap();
        }
        let (minor, jars) = asm(&dir).unwrap();
        assert_eq!(minor, 7);
        let expected = whole.map(|part| dir.join(format!("{part}-9.7.1.jar")));
        assert_eq!(jars, expected);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn each_version_that_was_tried_has_an_asm_that_reads_it() {
        for java in TRIED {
            assert!(READS.iter().any(|(known, _)| *known == java), "{java}");
        }
    }
}
