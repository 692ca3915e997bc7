//! `polypath clean`

use std::time::{Duration, SystemTime};
use toolchain::cache::clean::{self, Removal};

use crate::exit::Exit;

#[derive(clap::Args)]
#[command(
    after_help = "What is removed is built again when it is needed: the C library (not that of an installed package), libraries of
`polypath add`, kits of the JDK, lowered programs. What a running process uses stays.

Without this command, what was not used for a day goes when the cache grows over 4 GB (POLYPATH_CACHE_MAX, in MB)."
)]
pub struct Args {
    /// Keep what was used in the last DAYS days
    #[arg(long, value_name = "DAYS")]
    unused: Option<u64>,
    /// Only list what would be removed
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let now = SystemTime::now();
    let spared = args
        .unused
        .map(|days| Duration::from_secs(days.saturating_mul(24 * 3600)));
    let mut freed = 0;
    let mut failed = false;
    for kept in clean::list()? {
        let age = now.duration_since(kept.used).unwrap_or_default();
        if spared.is_some_and(|spared| age < spared) {
            continue;
        }
        let outcome = if args.dry_run {
            Ok(Removal::Removed)
        } else {
            clean::remove(&kept.place)
        };
        let place = kept.place.display();
        match outcome {
            Ok(Removal::Removed) => {
                freed += kept.size;
                say::out!("{:>7} MB  {place}", kept.size >> 20);
            }
            Ok(Removal::InUse) => say::err!("polypath: {place} is in use and stays"),
            Err(error) => {
                failed = true;
                say::err!("polypath: {error}");
            }
        }
    }
    let words = if args.dry_run {
        "would be removed"
    } else {
        "removed"
    };
    say::out!("{:>7} MB  {words}", freed >> 20);
    Ok(if failed { Exit::Failed } else { Exit::Nothing })
}
