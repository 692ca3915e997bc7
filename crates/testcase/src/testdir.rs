//! The directory of one test: raw files that a user can run by hand, and `meta.json`.
//!
//! ```text
//! test000001/
//!   args              argument vector, each argument ends with a NUL byte
//!   env               environment, likewise
//!   stdin             standard input (absent: empty)
//!   files/A …         the files that the program finds
//!   expected-stdout, expected-stderr   (absent: empty)
//!   meta.json         exit, path hash, prefix, error, objects, where each file stands
//! ```

use crate::bytes::{from_hex, to_hex};
use crate::disk;
use crate::klee;
use crate::model::{ByteRanges, ErrorRecord, ExitKind, Expected, FileSpec, TestCase, test_name};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Component, Path};

/// The version of the layout.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Meta {
    format: u32,
    id: u32,
    exit: ExitKind,
    /// Hexadecimal, because JSON numbers do not hold 64 bits everywhere.
    path_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unsteady: Vec<String>,
    covered_new: bool,
    time_s: f64,
    instructions: u64,
    error: Option<ErrorRecord>,
    /// Whether there is a (possibly empty) standard input of the test's own.
    stdin: bool,
    files: Vec<MetaFile>,
    input_objects: u32,
    objects: Vec<MetaObject>,
    prefix: Vec<(u32, u8, u32)>,
    /// Why KLEE's tools will not run the `.ktest` exactly so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ktest_limits: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct MetaFile {
    path: String,
    /// The file with the bytes, relative to the test's directory.
    stored: String,
    mode: u32,
    mtime: i64,
    atime: i64,
}

#[derive(Serialize, Deserialize)]
struct MetaObject {
    name: String,
    hex: String,
    /// The bytes on which the path's conditions depend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relevant: Option<ByteRanges>,
}

/// Writes the files of `test` into the existing empty directory `dir`.
pub fn write(dir: &Path, test: &TestCase, ktest_limits: Vec<String>) -> io::Result<()> {
    let mut files = Vec::new();
    for (i, f) in test.files.iter().enumerate() {
        let stored = stored_name(&f.path, i, &files);
        let place = dir.join(&stored);
        fs::create_dir_all(place.parent().unwrap_or(dir))?;
        fs::write(&place, &f.bytes)?;
        files.push(MetaFile {
            path: f.path.clone(),
            stored,
            mode: f.mode,
            mtime: f.mtime,
            atime: f.atime,
        });
    }
    let e = &test.expected;
    fs::write(dir.join("args"), nul_terminated(&test.args))?;
    for (name, bytes) in [
        ("env", nul_terminated(&test.env).as_slice()),
        ("stdin", test.stdin.as_deref().unwrap_or_default()),
        ("expected-stdout", &e.stdout),
        ("expected-stderr", &e.stderr),
    ] {
        if !bytes.is_empty() {
            fs::write(dir.join(name), bytes)?;
        }
    }
    let meta = Meta {
        format: FORMAT,
        id: test.id,
        exit: e.exit.clone(),
        path_hash: e.path_hash.map(|h| format!("{h:016x}")),
        unsteady: e.unsteady.clone(),
        covered_new: test.covered_new,
        time_s: test.time_s,
        instructions: test.instructions,
        error: test.error.clone(),
        stdin: test.stdin.is_some(),
        files,
        input_objects: test.input_objects,
        objects: test
            .objects
            .iter()
            .enumerate()
            .map(|(i, (name, bytes))| MetaObject {
                name: name.clone(),
                hex: to_hex(bytes),
                relevant: test.relevant.get(i).cloned(),
            })
            .collect(),
        prefix: test.prefix.clone(),
        ktest_limits,
    };
    fs::write(dir.join("meta.json"), serde_json::to_vec(&meta)?)
}

/// Writes a test below this directory under its name: its own directory, and the `.ktest` beside it. Either both or none is there in
/// the end.
pub fn store(tests: &Path, test: &TestCase) -> io::Result<()> {
    let name = test_name(test.id);
    let klee = klee::to_ktest(test);
    let dir = tests.join(&name);
    disk::create_dir_atomic(&dir, |d| write(d, test, klee.limits))?;
    let ktest = tests.join(format!("{name}.ktest"));
    disk::write_atomic(&ktest, &klee.ktest.to_bytes()).inspect_err(|_| {
        // A directory that cannot be removed is still a whole test.
        let _ = fs::remove_dir_all(&dir);
    })
}

/// Reads a test back.
pub fn read(dir: &Path) -> Result<TestCase> {
    let meta_path = dir.join("meta.json");
    let text =
        fs::read(&meta_path).with_context(|| format!("cannot read {}", meta_path.display()))?;
    let meta: Meta = serde_json::from_slice(&text)
        .with_context(|| format!("{} is damaged", meta_path.display()))?;
    ensure!(
        meta.format == FORMAT,
        "{}: format {} is unknown, this Polypath reads {FORMAT}",
        meta_path.display(),
        meta.format
    );
    let optional = |name: &str| -> Result<Vec<u8>> {
        match fs::read(dir.join(name)) {
            Ok(bytes) => Ok(bytes),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(e).with_context(|| format!("cannot read {}", dir.join(name).display())),
        }
    };
    let mut files = Vec::new();
    for f in meta.files {
        if !is_inside(&f.stored) {
            bail!(
                "{}: file name {:?} leads out of the test",
                meta_path.display(),
                f.stored
            );
        }
        let place = dir.join(&f.stored);
        let bytes = fs::read(&place).with_context(|| format!("cannot read {}", place.display()))?;
        files.push(FileSpec {
            path: f.path,
            bytes,
            mode: f.mode,
            mtime: f.mtime,
            atime: f.atime,
        });
    }
    let mut objects = Vec::new();
    let relevant: Option<Vec<ByteRanges>> =
        meta.objects.iter().map(|o| o.relevant.clone()).collect();
    for o in meta.objects {
        let bytes = from_hex(&o.hex).with_context(|| {
            format!(
                "{}: object {:?} is not hexadecimal",
                meta_path.display(),
                o.name
            )
        })?;
        objects.push((o.name, bytes));
    }
    let path_hash = match meta.path_hash {
        None => None,
        Some(hex) => Some(
            u64::from_str_radix(&hex, 16)
                .with_context(|| format!("{}: bad path hash {hex:?}", meta_path.display()))?,
        ),
    };
    let stdin = optional("stdin")?;
    Ok(TestCase {
        id: meta.id,
        input_objects: meta.input_objects.min(objects.len() as u32),
        objects,
        args: split_nul(
            &fs::read(dir.join("args")).with_context(|| format!("{}: no args", dir.display()))?,
        ),
        stdin: (meta.stdin || !stdin.is_empty()).then_some(stdin),
        files,
        env: split_nul(&optional("env")?),
        expected: Expected {
            exit: meta.exit,
            stdout: optional("expected-stdout")?,
            stderr: optional("expected-stderr")?,
            path_hash,
            unsteady: meta.unsteady,
        },
        prefix: meta.prefix,
        error: meta.error,
        covered_new: meta.covered_new,
        time_s: meta.time_s,
        instructions: meta.instructions,
        relevant: relevant.unwrap_or_default(),
    })
}

/// `files/PATH` for a plain relative path, otherwise a number.
fn stored_name(path: &str, index: usize, taken: &[MetaFile]) -> String {
    let plain = Path::new(path)
        .components()
        .all(|c| matches!(c, Component::Normal(_)));
    let name = format!("files/{path}");
    // A directory and a file below it cannot both be plain files.
    let clash = taken.iter().any(|t| {
        let (a, b) = (Path::new(&t.stored), Path::new(&name));
        a.starts_with(b) || b.starts_with(a)
    });
    let strange = path.is_empty() || path.contains('\0') || path.len() > 200 || path.ends_with('/');
    if plain && !clash && !strange {
        name
    } else {
        format!("files/.{index:04}")
    }
}

/// Whether a relative path stays below its base.
pub(crate) fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path)
            .components()
            .all(|c| matches!(c, Component::Normal(_)))
}

fn nul_terminated(list: &[Vec<u8>]) -> Vec<u8> {
    list.iter()
        .flat_map(|a| a.iter().copied().chain([0]))
        .collect()
}

fn split_nul(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut list: Vec<Vec<u8>> = bytes.split(|b| *b == 0).map(<[u8]>::to_vec).collect();
    // What follows the last NUL; empty unless somebody edited the file.
    if list.last().is_some_and(Vec::is_empty) {
        list.pop();
    }
    list
}
