//! Weaver, runtime and driver: compiled by the user's `javac` into the cache, once for each JDK.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::cache;

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Where Debian's libasm-java lies.
const ASM: &str = "/usr/share/java";
/// Its parts that the weaver is made with.
const ASM_JARS: [&str; 3] = ["asm-9.4.jar", "asm-tree-9.4.jar", "asm-commons-9.4.jar"];
/// The version of Java that is known to work.
const KNOWN: u32 = 17;

/// What is needed of the user's machine.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The JVM.
    pub java: PathBuf,
    javac: PathBuf,
    asm: Vec<PathBuf>,
    /// The version as the JVM says it.
    pub version: String,
}

/// Why there is no kit.
#[derive(Debug)]
pub enum KitError {
    /// Something is not installed: what, and how it is had.
    Missing(&'static str, &'static str),
    /// The JDK has another version than the one that works.
    Version(String),
    /// Reading or writing a file, or starting a program, failed.
    Io(io::Error),
    /// The sources do not compile: what `javac` said.
    Compile(String),
}

impl fmt::Display for KitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KitError::Missing(what, how) => write!(f, "{what} is not installed ({how})"),
            KitError::Version(found) => write!(
                f,
                "this is Java {found}; Java {KNOWN} works (apt-get install openjdk-17-jdk-headless, and JAVA_HOME names its place)"
            ),
            KitError::Io(error) => write!(f, "the kit for Java: {error}"),
            KitError::Compile(text) => {
                write!(f, "javac does not compile the kit for Java:\n{text}")
            }
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
        let asm: Vec<PathBuf> = ASM_JARS.iter().map(|j| Path::new(ASM).join(j)).collect();
        if !asm.iter().all(|jar| jar.is_file()) {
            return Err(KitError::Missing("ASM 9.4", "apt-get install libasm-java"));
        }
        // `java -version` takes a tenth of a second; the JDK's own note of its release takes none.
        let home = java.canonicalize()?;
        let home = home
            .parent()
            .and_then(Path::parent)
            .unwrap_or(Path::new("/"));
        let release = std::fs::read_to_string(home.join("release")).map_err(cache::at(home))?;
        let version = release
            .lines()
            .find_map(|line| line.strip_prefix("JAVA_VERSION="));
        let version = version.unwrap_or_default().trim_matches('"').to_string();
        let major = version.split('.').next().unwrap_or_default();
        if major.parse() != Ok(KNOWN) {
            return Err(KitError::Version(version));
        }
        Ok(Tools {
            java,
            javac,
            asm,
            version,
        })
    }

    /// What the kit is made of.
    fn key(&self) -> String {
        let java = self.java.display().to_string();
        let mut parts: Vec<&[u8]> = vec![self.version.as_bytes(), java.as_bytes()];
        for (name, text) in SOURCES {
            parts.extend([name.as_bytes(), text.as_bytes()]);
        }
        format!("java-{:016x}", cache::fingerprint(&parts))
    }
}

/// The compiled classes, and the JVM that they run on.
#[derive(Clone, Debug)]
pub struct Kit {
    /// The tools that it was made with.
    pub tools: Tools,
    classes: PathBuf,
}

impl Kit {
    /// The kit, compiled now if need be.
    ///
    /// # Errors
    /// It cannot be compiled, or the cache cannot be written.
    pub fn ensure(tools: Tools) -> Result<Kit, KitError> {
        let classes = cache::entry(&tools.key(), |dir, _| compile(&tools, dir))?;
        Ok(Kit { tools, classes })
    }

    /// The class path of the driver.
    pub fn class_path(&self) -> String {
        let mut path = self.classes.display().to_string();
        for jar in &self.tools.asm {
            path.push(':');
            path.push_str(&jar.display().to_string());
        }
        path
    }
}

fn compile(tools: &Tools, dir: &Path) -> Result<(), KitError> {
    let sources = dir.join("sources");
    let mut files = Vec::new();
    for (name, text) in SOURCES {
        let path = sources.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, text)?;
        files.push(path);
    }
    let asm: Vec<String> = tools.asm.iter().map(|p| p.display().to_string()).collect();
    let mut command = Command::new(&tools.javac);
    command.args(["-nowarn", "-encoding", "UTF-8", "-cp", &asm.join(":"), "-d"]);
    command.arg(dir).args(&files);
    let output = host::child::output(&mut command)?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(KitError::Compile(text));
    }
    std::fs::remove_dir_all(&sources)?;
    Ok(())
}
