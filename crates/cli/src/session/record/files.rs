//! `--save-fs`: what the program leaves in its files when its first path ends.

use exec::State;
use linux::WorldConfig;
use std::path::PathBuf;

/// Where the first host view goes; taken by the first path.
#[derive(Default)]
pub struct SavedFiles(pub Option<PathBuf>);

impl SavedFiles {
    /// Writes the files of a path that ends, if it is the first one, of all workers. Returns what is to be said of it.
    pub fn save(&mut self, s: &State, config: &WorldConfig) -> Option<String> {
        let (dir, view) = (self.0.take()?, config.views.first()?);
        // Whole or absent, and of one worker: the first one takes the name.
        let mut part = dir.clone().into_os_string();
        part.push(format!(".part-{}", std::process::id()));
        let part = PathBuf::from(part);
        if dir.exists() {
            return None;
        }
        let saved = exec::c::world(s).save(&view.at, &part);
        let saved = saved.and_then(|()| std::fs::rename(&part, &dir));
        let Err(e) = saved else { return None };
        // What is there of it is of no use.
        let removed = std::fs::remove_dir_all(&part).err();
        let left = removed.map_or(String::new(), |e| format!("; {}: {e}", part.display()));
        (!dir.exists()).then(|| format!("--save-fs {}: {e}{left}", dir.display()))
    }
}
