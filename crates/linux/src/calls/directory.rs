//! The current directory and directory listings.

use std::rc::Rc;

use crate::abi::*;
use crate::bytes::{Byte, Bytes};
use crate::call::{Call, CallResult, EarlyReturn};
use crate::descriptor::ListEntry;
use crate::fs::ROOT;
use crate::inode::{Ino, InodeKind};

pub(crate) fn getcwd(call: &mut Call<'_>) -> CallResult {
    let (addr, size) = (
        call.arg(0, "an address"),
        call.arg(1, "the size of a buffer"),
    );
    let cwd = call.world().cwd;
    let mut path = call.directory_path(cwd).ok_or(ENOENT)?;
    path.push(Byte::Concrete(0));
    if (path.len() as u64) > size {
        return Err(ERANGE.into());
    }
    call.cx.write(addr, &path)?;
    Ok((path.len() as u64).into())
}

fn enter(call: &mut Call<'_>, ino: Ino) -> CallResult {
    if !call.world().fs.get(ino).is_directory() {
        return Err(ENOTDIR.into());
    }
    call.require(ino, 1)?;
    call.change().cwd = ino;
    Ok(0.into())
}

pub(crate) fn chdir(call: &mut Call<'_>) -> CallResult {
    let path = call.path(0)?;
    let ino = call.resolve(AT_FDCWD, &path, true)?;
    enter(call, ino)
}

pub(crate) fn fchdir(call: &mut Call<'_>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    let ino = call.world().descriptors.get_any(fd)?.ino;
    enter(call, ino)
}

/// The entries of a directory as a listing sees them.
fn list(call: &mut Call<'_>, ino: Ino) -> Result<Vec<ListEntry>, EarlyReturn> {
    let parent = match &call.world().fs.get(ino).kind {
        InodeKind::Directory(directory) => directory.parent,
        InodeKind::DescriptorDirectory => ROOT,
        _ => return Err(ENOTDIR.into()),
    };
    let mut entries = vec![
        (Bytes::concrete(*b"."), ino),
        (Bytes::concrete(*b".."), parent),
    ];
    match call.world().fs.get(ino).kind {
        InodeKind::DescriptorDirectory => {
            let descriptors = &call.world().descriptors;
            for fd in descriptors.open_numbers() {
                entries.push((
                    Bytes::concrete(fd.to_string()),
                    descriptors.get_any(fd)?.ino,
                ));
            }
        }
        _ => entries.extend(call.change().fs.list(ino)?),
    }
    Ok(entries
        .iter()
        .map(|(name, ino)| ListEntry::new(name, *ino))
        .collect())
}

/// Whether an entry of a listing is still there.
fn still_there(call: &Call<'_>, dir: Ino, entry: &ListEntry) -> bool {
    use crate::inode::Entry;
    let Ok(directory) = call.world().fs.directory(dir) else {
        return true;
    };
    match entry.name.as_concrete() {
        Some(b"." | b"..") => true,
        Some(name) => directory
            .entries
            .get(name)
            .is_some_and(|e| matches!(e, Entry::Inode(ino) if *ino == entry.ino)),
        None => directory
            .symbolic
            .iter()
            .any(|(name, ino)| *ino == entry.ino && name.to_bytes() == entry.name.to_bytes()),
    }
}

/// `d_type`.
fn entry_type(call: &Call<'_>, ino: Ino) -> u8 {
    call.world()
        .fs
        .get(ino)
        .file_type()
        .map_or(0, |t| (t >> 12) as u8)
}

/// The listing is taken when it begins (at offset 0); entries that go meanwhile are left out.
pub(crate) fn getdents64(call: &mut Call<'_>) -> CallResult {
    let (fd, addr) = (call.int(0, "a descriptor"), call.arg(1, "an address"));
    let size = call.arg(2, "the size of a buffer") & 0xffff_ffff;
    let description = call.world().descriptors.get(fd)?;
    let (ino, offset, listing) = (
        description.ino,
        description.offset,
        description.listing.clone(),
    );
    if !call.world().fs.get(ino).is_directory() {
        return Err(ENOTDIR.into());
    }
    if call.world().fs.get(ino).nlink.get() == crate::Word::Concrete(0) {
        return Err(ENOENT.into());
    }
    let listing = match listing {
        Some(listing) => listing,
        None => Rc::new(list(call, ino)?),
    };
    let mut records = Bytes::new();
    let mut next = offset;
    for (index, entry) in listing.iter().enumerate().skip(offset as usize) {
        if still_there(call, ino, entry) {
            let len = (19 + entry.name.len() + 1).next_multiple_of(8);
            if (records.len() + len) as u64 > size {
                if records.is_empty() {
                    return Err(EINVAL.into());
                }
                break;
            }
            let mut record = Bytes::zeros(19);
            record.put_int(0, 8, entry.ino as u64);
            record.put_int(8, 8, index as u64 + 1);
            record.put_int(16, 2, len as u64);
            record.put_int(18, 1, entry_type(call, entry.ino) as u64);
            record.extend(&entry.name.to_bytes());
            record.extend_concrete(&vec![0; len - record.len()]);
            records.extend(&record);
        }
        next = index as u64 + 1;
    }
    if !records.is_empty() {
        call.cx.write(addr, &records)?;
    }
    let description = call.change().descriptors.get_mut(fd);
    description.offset = next;
    description.listing = Some(listing);
    Ok((records.len() as u64).into())
}
