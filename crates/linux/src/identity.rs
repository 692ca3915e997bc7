//! User and group identities.

use crate::abi::*;
use crate::bytes::Bytes;
use crate::call::{Call, CallResult, EarlyReturn};
use crate::process::Ids;

pub(crate) fn getuid(call: &mut Call<'_>) -> CallResult {
    Ok((call.world().process.uid.real as u64).into())
}

pub(crate) fn geteuid(call: &mut Call<'_>) -> CallResult {
    Ok((call.world().process.uid.effective as u64).into())
}

pub(crate) fn getgid(call: &mut Call<'_>) -> CallResult {
    Ok((call.world().process.gid.real as u64).into())
}

pub(crate) fn getegid(call: &mut Call<'_>) -> CallResult {
    Ok((call.world().process.gid.effective as u64).into())
}

fn write_ids(call: &mut Call<'_>, ids: Ids) -> CallResult {
    for (i, id) in [ids.real, ids.effective, ids.saved].into_iter().enumerate() {
        let addr = call.arg(i, "an address");
        call.write_int(addr, 4, id as u64)?;
    }
    Ok(0.into())
}

pub(crate) fn getresuid(call: &mut Call<'_>) -> CallResult {
    let ids = call.world().process.uid;
    write_ids(call, ids)
}

pub(crate) fn getresgid(call: &mut Call<'_>) -> CallResult {
    let ids = call.world().process.gid;
    write_ids(call, ids)
}

/// The new ids for a setre[s]*id call: -1 keeps one; without privilege only present ids are allowed.
fn changed(call: &mut Call<'_>, ids: Ids, wanted: [u32; 3]) -> Result<Ids, EarlyReturn> {
    let root = call.world().process.uid.effective == 0;
    let present = [ids.real, ids.effective, ids.saved];
    if !root
        && wanted
            .iter()
            .any(|&id| id != u32::MAX && !present.contains(&id))
    {
        return Err(EPERM.into());
    }
    let pick = |id: u32, old: u32| if id == u32::MAX { old } else { id };
    Ok(Ids {
        real: pick(wanted[0], ids.real),
        effective: pick(wanted[1], ids.effective),
        saved: pick(wanted[2], ids.saved),
    })
}

/// Which ids a call changes.
fn set_ids(call: &mut Call<'_>, group: bool, arguments: usize) -> CallResult {
    let ids = if group {
        call.world().process.gid
    } else {
        call.world().process.uid
    };
    let mut wanted = [u32::MAX; 3];
    for (i, id) in wanted.iter_mut().enumerate().take(arguments) {
        *id = call.flags(i, "an identity");
    }
    let ids = match arguments {
        1 if wanted[0] == u32::MAX => return Err(EINVAL.into()),
        // setuid: all three for root, else the effective one.
        1 if call.world().process.uid.effective == 0 => Ids {
            real: wanted[0],
            effective: wanted[0],
            saved: wanted[0],
        },
        1 if wanted[0] != ids.real && wanted[0] != ids.saved => return Err(EPERM.into()),
        1 => Ids {
            effective: wanted[0],
            ..ids
        },
        // setreuid also moves the saved id.
        2 => {
            let new = changed(call, ids, wanted)?;
            let moved = wanted[0] != u32::MAX || (wanted[1] != u32::MAX && wanted[1] != ids.real);
            Ids {
                saved: if moved { new.effective } else { new.saved },
                ..new
            }
        }
        _ => changed(call, ids, wanted)?,
    };
    let process = &mut call.change().process;
    let old = if group { process.gid } else { process.uid };
    if old.effective != ids.effective {
        process.dumpable = 0;
    }
    *(if group {
        &mut process.gid
    } else {
        &mut process.uid
    }) = ids;
    Ok(0.into())
}

pub(crate) fn setuid(call: &mut Call<'_>) -> CallResult {
    set_ids(call, false, 1)
}

pub(crate) fn setgid(call: &mut Call<'_>) -> CallResult {
    set_ids(call, true, 1)
}

pub(crate) fn setreuid(call: &mut Call<'_>) -> CallResult {
    set_ids(call, false, 2)
}

pub(crate) fn setregid(call: &mut Call<'_>) -> CallResult {
    set_ids(call, true, 2)
}

pub(crate) fn setresuid(call: &mut Call<'_>) -> CallResult {
    set_ids(call, false, 3)
}

pub(crate) fn setresgid(call: &mut Call<'_>) -> CallResult {
    set_ids(call, true, 3)
}

/// Returns the old id whatever happens; another one than the effective one is not modelled.
fn set_fs_id(call: &mut Call<'_>, name: &str, ids: Ids) -> CallResult {
    let wanted = call.flags(0, "an identity");
    let allowed = call.world().process.uid.effective == 0
        || [ids.real, ids.effective, ids.saved].contains(&wanted);
    if wanted != ids.effective && wanted != u32::MAX && allowed {
        call.note_unmodelled(&format!(
            "{name} to another identity than the effective one"
        ));
    }
    Ok((ids.effective as u64).into())
}

pub(crate) fn setfsuid(call: &mut Call<'_>) -> CallResult {
    let ids = call.world().process.uid;
    set_fs_id(call, "setfsuid", ids)
}

pub(crate) fn setfsgid(call: &mut Call<'_>) -> CallResult {
    let ids = call.world().process.gid;
    set_fs_id(call, "setfsgid", ids)
}

pub(crate) fn getgroups(call: &mut Call<'_>) -> CallResult {
    let (size, list) = (call.int(0, "a number of groups"), call.arg(1, "an address"));
    if size < 0 {
        return Err(EINVAL.into());
    }
    let groups = call.world().process.groups.clone();
    if size > 0 {
        if (size as usize) < groups.len() {
            return Err(EINVAL.into());
        }
        let record: Vec<u8> = groups.iter().flat_map(|g| g.to_le_bytes()).collect();
        if !record.is_empty() {
            call.cx.write(list, &Bytes::concrete(record))?;
        }
    }
    Ok((groups.len() as u64).into())
}

/// Only the superuser sets its groups; the kernel keeps them in order.
pub(crate) fn setgroups(call: &mut Call<'_>) -> CallResult {
    const MOST: u64 = 65536;
    if call.world().process.uid.effective != 0 {
        return Err(EPERM.into());
    }
    let (size, list) = (
        call.flags(0, "a number of groups") as u64,
        call.arg(1, "an address"),
    );
    if size > MOST {
        return Err(EINVAL.into());
    }
    let mut groups = Vec::new();
    for i in 0..size {
        let group = call.read_int(list + 4 * i, 4, "a group")? as u32;
        if group == u32::MAX {
            return Err(EINVAL.into());
        }
        groups.push(group);
    }
    groups.sort_unstable();
    call.change().process.groups = groups.into();
    Ok(0.into())
}
