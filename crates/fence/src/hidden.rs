//! What programs do not see of the host: directories of temporary files and of services, and the homes of users, where secrets are (keys,
//! tokens, the histories of shells and browsers). The machine's world has none of it either. What a program needs in there stays.

use crate::View;
use std::path::{Path, PathBuf};

/// Directories in which anybody may write, or that lead to services of the host.
pub(crate) const PRIVATE: &[&str] = &["/tmp", "/var/tmp", "/run", "/dev"];
/// Directories of homes, or homes, of all systems.
const HOMES: &[&str] = &["/home", "/root"];
/// A home that holds one of these, as that of some services, is no home to be hidden.
const SYSTEM: &[&str] = &["/usr", "/etc", "/proc", "/bin", "/lib"];

/// The homes of users: those of the system, and of the user who calls this.
pub fn homes() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = Vec::new();
    let own = std::env::var_os("HOME").map(PathBuf::from);
    let all = HOMES.iter().map(PathBuf::from).chain(own);
    for home in all.filter_map(|home| home.canonicalize().ok()) {
        let is_system = SYSTEM.iter().any(|dir| Path::new(dir).starts_with(&home));
        if !is_system && home.is_dir() && !homes.contains(&home) {
            homes.push(home);
        }
    }
    homes
}

/// The directories whose content is hidden, none below another one.
pub(crate) fn roots(view: &View) -> Vec<PathBuf> {
    let all: Vec<PathBuf> = PRIVATE
        .iter()
        .map(PathBuf::from)
        .chain(view.hidden.iter().cloned())
        .collect();
    let is_below = |dir: &PathBuf| {
        all.iter()
            .any(|other| dir != other && dir.starts_with(other))
    };
    let mut roots: Vec<PathBuf> = all.iter().filter(|dir| !is_below(dir)).cloned().collect();
    roots.sort();
    roots.dedup();
    roots
}

/// What is shown of hidden directories nevertheless: of a file its directory, unless that is a home or is everybody's.
pub(crate) fn needed(view: &View) -> Vec<PathBuf> {
    let roots = roots(view);
    let is_hidden = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    let is_broad = |dir: &Path| {
        let is_one = |path: &Path| {
            let private = PRIVATE.iter().any(|p| Path::new(p) == path);
            private || view.hidden.iter().any(|home| home == path)
        };
        is_one(dir) || dir == Path::new("/") || dir.parent() == Some(Path::new("/home"))
    };
    let mut all = Vec::new();
    for path in view.needed.iter().filter(|path| is_hidden(path)) {
        let shown = match path.parent() {
            Some(dir) if !path.is_dir() && !is_broad(dir) => dir,
            _ => path,
        };
        if !all.iter().any(|other: &PathBuf| other == shown) {
            all.push(shown.to_owned());
        }
    }
    all
}
