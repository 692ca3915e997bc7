//! The directory of a run's results, checked and created before anything is compiled.
//!
//! So a user learns at once, and not after a minute of compiling, that the directory is not empty or cannot be
//! written. A directory that is not used after all is removed.

use anyhow::{Context, Result, bail};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Bytes that have to fit: a run that cannot write this much is useless.
const PROBE: usize = 256 << 10;

/// A directory for results. Dropping it removes the directories that it created.
#[derive(Debug)]
pub struct Reserved {
    path: PathBuf,
    /// Directories that were made, the outermost first.
    made: Vec<PathBuf>,
    /// The link that shall point to it: its directory, and the name to point to.
    link: Option<(PathBuf, String)>,
}

impl Reserved {
    /// Takes `out`, which must not exist or be empty; without `out`, the first free
    /// `base/polypath-out-N`, to which the link `base/polypath-last` will point.
    pub fn new(out: Option<&Path>, base: &Path) -> Result<Reserved> {
        let mut reserved = match out {
            Some(path) => named(path)?,
            None => numbered(base)?,
        };
        let path = &reserved.path;
        reserved.path = path
            .canonicalize()
            .with_context(|| format!("cannot use {}", path.display()))?;
        let tests = reserved.path.join("tests");
        fs::create_dir(&tests).with_context(|| format!("cannot create {}", tests.display()))?;
        reserved.made.push(tests.clone());
        let probe = tests.join(".tmp-probe");
        let fits = fs::write(&probe, vec![b' '; PROBE]);
        let removed = fs::remove_file(&probe);
        fits.and(removed)
            .with_context(|| format!("cannot write in {}", reserved.path.display()))?;
        Ok(reserved)
    }

    /// The directory, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run begins: the directory stays, and the link points to it.
    pub fn keep(mut self) -> Result<PathBuf> {
        if let Some((base, name)) = &self.link {
            link_last(base, name)?;
        }
        self.made.clear();
        Ok(std::mem::take(&mut self.path))
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        for dir in self.made.iter().rev() {
            // Only what is empty goes, and only what was made here.
            let _ = fs::remove_dir(dir);
        }
    }
}

/// Whether a directory of this name is there, which is empty then.
///
/// # Errors
/// It is not empty, no directory, or cannot be read.
pub fn is_there(path: &Path) -> Result<bool> {
    match fs::read_dir(path) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                bail!(
                    "{} exists and is not empty; name another --out or remove it",
                    path.display()
                );
            }
            Ok(true)
        }
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
            bail!("{}: a file is in the way", path.display())
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e).with_context(|| format!("cannot use {}", path.display())),
    }
}

fn named(path: &Path) -> Result<Reserved> {
    let mut made = Vec::new();
    if !is_there(path)? {
        let missing = |p: &&Path| !p.as_os_str().is_empty() && !p.exists();
        made = path
            .ancestors()
            .take_while(missing)
            .map(Path::to_owned)
            .collect();
        made.reverse();
        fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))?;
    }
    Ok(Reserved {
        path: path.to_owned(),
        made,
        link: None,
    })
}

fn numbered(base: &Path) -> Result<Reserved> {
    let link = base.join("polypath-last");
    if fs::symlink_metadata(&link).is_ok_and(|m| !m.is_symlink()) {
        bail!("{} is in the way: not a link", link.display());
    }
    for n in 0..1_000_000 {
        let name = format!("polypath-out-{n}");
        let path = base.join(&name);
        match fs::create_dir(&path) {
            Ok(()) => {
                return Ok(Reserved {
                    path: path.clone(),
                    made: vec![path],
                    link: Some((base.to_owned(), name)),
                });
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(e) => {
                return Err(e).with_context(|| {
                    format!(
                        "cannot create {} (--out DIR names another place)",
                        path.display()
                    )
                });
            }
        }
    }
    bail!("{} is full of polypath-out-N directories", base.display())
}

/// Points `polypath-last` at the new directory; only ever replaces a link.
fn link_last(base: &Path, name: &str) -> Result<()> {
    let link = base.join("polypath-last");
    let temp = base.join(format!(".{name}-link"));
    symlink(name, &temp)
        .and_then(|()| fs::rename(&temp, &link))
        .with_context(|| format!("cannot create the link {}", link.display()))
}
