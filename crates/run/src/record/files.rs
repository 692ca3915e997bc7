//! `--save-fs`: the content of the program's files when its first path ends.

use exec::FirstEnd;
use linux::WorldConfig;
use std::path::PathBuf;

/// Writes the first host view to a directory at the end of the first path, of all workers. `None` if there is nothing to write.
pub fn saver(dir: Option<PathBuf>, config: &WorldConfig) -> Option<FirstEnd> {
    let (dir, view) = (dir?, config.views.first()?.at.clone());
    Some(Box::new(move |s| {
        // Whole or absent, and of one worker: the first one takes the name.
        let mut part = dir.clone().into_os_string();
        part.push(format!(".part-{}", std::process::id()));
        let part = PathBuf::from(part);
        if dir.exists() {
            return;
        }
        let saved = env_c::world(s).save(&view, &part);
        let saved = saved.and_then(|()| std::fs::rename(&part, &dir));
        let Err(e) = saved else { return };
        // What is there of it is of no use.
        let removed = std::fs::remove_dir_all(&part).err();
        let left = removed.map_or(String::new(), |e| format!("; {}: {e}", part.display()));
        if !dir.exists() {
            say::err!("polypath: --save-fs {}: {e}{left}", dir.display());
        }
    }))
}
