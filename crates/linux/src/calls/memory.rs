//! System calls on memory. The machine keeps the address space.

use std::rc::Rc;

use crate::abi::*;
use crate::bytes::Bytes;
use crate::call::{Call, CallResult, EarlyReturn};
use crate::cx::{MapRefusal, MapRequest};
use crate::inode::{Device, Ino, InodeKind};
use crate::state::{FileMap, Met};

const PAGE: u64 = 4096;
const MAP_LOCKED: u32 = 0x2000;
const ADDRESS_MAX: u64 = 1 << 47;
/// Flags of `mmap` that are modelled, or that change nothing which a program could see: where it lies, who shares it, and
/// MAP_DENYWRITE, MAP_EXECUTABLE, MAP_LOCKED, MAP_NORESERVE, MAP_POPULATE, MAP_NONBLOCK, MAP_STACK.
const MODELLED: u32 = MAP_TYPE
    | MAP_FIXED
    | MAP_FIXED_NOREPLACE
    | MAP_ANONYMOUS
    | 0x800
    | 0x1000
    | MAP_LOCKED
    | 0x4000
    | 0x8000
    | 0x10000
    | 0x20000;

pub(crate) fn brk(call: &mut Call<'_>) -> CallResult {
    let to = call.arg(0, "the program break");
    Ok(call.cx.grow_break(to).into())
}

pub(crate) fn mmap(call: &mut Call<'_>) -> CallResult {
    let (hint, len) = (
        call.arg(0, "an address"),
        call.arg(1, "the size of a mapping"),
    );
    let (prot, flags) = (
        call.flags(2, "a protection"),
        call.flags(3, "the flags of mmap"),
    );
    let (fd, offset) = (call.int(4, "a descriptor"), call.arg(5, "a file offset"));
    let (fixed, no_replace) = (flags & MAP_FIXED != 0, flags & MAP_FIXED_NOREPLACE != 0);
    if len == 0 || offset % PAGE != 0 || ((fixed || no_replace) && hint % PAGE != 0) {
        return Err(EINVAL.into());
    }
    if flags & !MODELLED != 0 {
        call.note_unmodelled("mmap with flags that are not modelled");
        return Err(EINVAL.into());
    }
    let anonymous = flags & MAP_ANONYMOUS != 0;
    let shared = match flags & MAP_TYPE {
        MAP_PRIVATE => false,
        MAP_SHARED | MAP_SHARED_VALIDATE => true,
        _ => return Err(EINVAL.into()),
    };
    if !anonymous {
        call.world().descriptors.get(fd)?;
    }
    if len > ADDRESS_MAX {
        return Err(ENOMEM.into());
    }
    let content = if anonymous {
        None
    } else {
        file_content(call, fd, offset, len, prot, shared)?
    };
    let of_file = match content {
        Some(_) => Some(call.world().descriptors.get(fd)?.ino),
        None => None,
    };
    let request = MapRequest {
        hint,
        fixed: fixed || no_replace,
        no_replace,
        len,
        prot,
        content,
    };
    let answer = call.cx.map_memory(&request);
    let at = modelled(call, answer)?;
    if flags & MAP_LOCKED != 0 {
        call.change().process.has_locked_pages = true;
    }
    forget_files(call, at, len);
    if let Some(ino) = of_file {
        let len = len.next_multiple_of(PAGE);
        let map = FileMap {
            ino,
            addr: at,
            len,
            offset,
            shared,
        };
        Rc::make_mut(&mut call.change().file_maps).push(map);
    }
    Ok(at.into())
}

/// Forgets mappings of files that are replaced or unmapped whole.
fn forget_files(call: &mut Call<'_>, addr: u64, len: u64) {
    let end = addr.saturating_add(len.next_multiple_of(PAGE));
    let gone = |map: &FileMap| addr <= map.addr && map.addr + map.len <= end;
    if call.world().file_maps.iter().any(gone) {
        Rc::make_mut(&mut call.change().file_maps).retain(|map| !gone(map));
    }
}

impl Call<'_> {
    /// The bytes of a file from `start` to `end` change: named where a mapping shows them.
    pub(crate) fn file_changes(&mut self, ino: Ino, start: u64, end: u64) {
        let shows = |map: &FileMap| {
            map.ino == ino && start < map.offset.saturating_add(map.len) && map.offset < end
        };
        if self.world().file_maps.iter().any(shows) {
            self.note_unmodelled("a change of a file that is mapped");
        }
    }
}

/// The result of a change of the address space; what is not modelled is named.
fn modelled<T>(call: &mut Call<'_>, answer: Result<T, MapRefusal>) -> Result<T, EarlyReturn> {
    answer.map_err(|refusal| match refusal {
        MapRefusal::Errno(errno) => errno.into(),
        MapRefusal::Unmodelled(what) => {
            call.note_unmodelled(what);
            ENOMEM.into()
        }
    })
}

/// What a file mapping shows. Writes through a shared mapping are not carried back into the file,
/// so such a mapping is refused, as file systems without shared memory do.
fn file_content(
    call: &mut Call<'_>,
    fd: i32,
    offset: u64,
    len: u64,
    prot: u32,
    shared: bool,
) -> Result<Option<Bytes>, EarlyReturn> {
    let description = call.world().descriptors.get(fd)?;
    let (ino, readable, writable) = (
        description.ino,
        description.readable(),
        description.writable(),
    );
    if !readable || (shared && prot & PROT_WRITE != 0 && !writable) {
        return Err(EACCES.into());
    }
    if (offset as i64) < 0 {
        return Err(EOVERFLOW.into());
    }
    let wanted = len;
    let stream = call.settle_stream(ino);
    let end = call.settle_size(ino);
    let len = end.map_or(len, |end| len.min(end.saturating_sub(offset)));
    let content = match &call.world().fs.get(ino).kind {
        InodeKind::File(content) => content.read(offset, len)?,
        InodeKind::Stream(s) if stream == Some(crate::StreamKind::File) => {
            s.content.read(offset, len)?
        }
        InodeKind::Device(Device::Zero) => return Ok(None),
        _ => return Err(ENODEV.into()),
    };
    if wanted > content.len() as u64 {
        call.remark_size(ino, Met::Short);
    }
    if shared && prot & PROT_WRITE != 0 {
        call.note_unmodelled("mmap of a file, shared and writable");
        return Err(ENODEV.into());
    }
    Ok(Some(content))
}

pub(crate) fn munmap(call: &mut Call<'_>) -> CallResult {
    let (addr, len) = (
        call.arg(0, "an address"),
        call.arg(1, "the size of a mapping"),
    );
    if addr % PAGE != 0 || len == 0 || len > ADDRESS_MAX || addr > ADDRESS_MAX - len {
        return Err(EINVAL.into());
    }
    call.cx.unmap_memory(addr, len)?;
    forget_files(call, addr, len);
    Ok(0.into())
}

pub(crate) fn mprotect(call: &mut Call<'_>) -> CallResult {
    let (addr, len) = (
        call.arg(0, "an address"),
        call.arg(1, "the size of a mapping"),
    );
    let prot = call.flags(2, "a protection");
    if addr % PAGE != 0 || prot & !7 != 0 {
        return Err(EINVAL.into());
    }
    let maps = &call.world().file_maps;
    if prot & PROT_WRITE != 0 && maps.iter().any(|m| m.shared && m.meets(addr, len)) {
        call.note_unmodelled("mprotect of a file, shared and writable");
        return Err(EACCES.into());
    }
    if len > 0 {
        let answer = call.cx.protect_memory(addr, len, prot);
        modelled(call, answer)?;
    }
    Ok(0.into())
}

pub(crate) fn mremap(call: &mut Call<'_>) -> CallResult {
    const MAYMOVE: u32 = 1;
    const FIXED: u32 = 2;
    let (addr, old_len) = (
        call.arg(0, "an address"),
        call.arg(1, "the size of a mapping"),
    );
    let (new_len, flags) = (
        call.arg(2, "the size of a mapping"),
        call.flags(3, "the flags of mremap"),
    );
    let new_addr = call.arg(4, "an address");
    if addr % PAGE != 0 || new_len == 0 || flags & !(MAYMOVE | FIXED) != 0 {
        return Err(EINVAL.into());
    }
    if flags & FIXED != 0 && (flags & MAYMOVE == 0 || new_addr & (PAGE - 1) != 0) {
        return Err(EINVAL.into());
    }
    if flags & FIXED != 0 {
        call.note_unmodelled("mremap to an address of the program's choice");
        return Err(ENOMEM.into());
    }
    let maps = &call.world().file_maps;
    if maps.iter().any(|m| m.meets(addr, old_len)) {
        call.note_unmodelled("mremap of a file");
        return Err(ENOMEM.into());
    }
    let may_move = flags & MAYMOVE != 0;
    let answer = call.cx.remap_memory(addr, old_len, new_len, may_move);
    Ok(modelled(call, answer)?.into())
}

/// Advice changes nothing that a program could see, except that discarded pages read as zero.
pub(crate) fn madvise(call: &mut Call<'_>) -> CallResult {
    /// MADV_DONTNEED, MADV_REMOVE.
    const DISCARD: [i32; 2] = [4, 9];
    let (addr, len, advice) = (
        call.arg(0, "an address"),
        call.arg(1, "a size"),
        call.int(2, "a piece of advice"),
    );
    match advice {
        0..=4 | 8..=23 => {}
        24.. => {
            call.note_unmodelled(&format!("madvise with advice {advice}"));
            return Err(EINVAL.into());
        }
        _ => return Err(EINVAL.into()),
    }
    let whole = whole_pages(len);
    if addr % PAGE != 0 || (len > 0 && whole == 0) || addr.checked_add(whole).is_none() {
        return Err(EINVAL.into());
    }
    if len == 0 {
        return Ok(0.into());
    }
    if DISCARD.contains(&advice) {
        call.note_unmodelled("madvise to discard pages");
        return Err(EINVAL.into());
    }
    require_pages(call, addr, whole, false)
}

/// The pages up to the last byte of a range. As in the kernel, a size that is too large by less than a page becomes none.
fn whole_pages(len: u64) -> u64 {
    len.wrapping_add(PAGE - 1) & !(PAGE - 1)
}

/// ENOMEM unless all pages of a range exist.
fn require_pages(call: &mut Call<'_>, addr: u64, len: u64, readable: bool) -> CallResult {
    if len == 0 {
        return Ok(0.into());
    }
    if len > ADDRESS_MAX || addr > ADDRESS_MAX - len || !call.cx.has_pages(addr, len, readable) {
        return Err(ENOMEM.into());
    }
    Ok(0.into())
}

/// No page is written back late, so there is nothing to do.
pub(crate) fn msync(call: &mut Call<'_>) -> CallResult {
    const ASYNC: u32 = 1;
    const INVALIDATE: u32 = 2;
    const SYNC: u32 = 4;
    let (addr, len) = (call.arg(0, "an address"), call.arg(1, "a size"));
    let flags = call.flags(2, "the flags of msync");
    if flags & !(ASYNC | INVALIDATE | SYNC) != 0 || flags & (ASYNC | SYNC) == ASYNC | SYNC {
        return Err(EINVAL.into());
    }
    if addr % PAGE != 0 {
        return Err(EINVAL.into());
    }
    let len = whole_pages(len);
    if flags & INVALIDATE != 0 && call.world().process.has_locked_pages {
        call.note_unmodelled("msync(MS_INVALIDATE), which fails for locked pages");
    }
    require_pages(call, addr, len, false)
}

/// The pages that contain a range.
fn locked_range(call: &mut Call<'_>) -> Result<(u64, u64), EarlyReturn> {
    let (addr, len) = (call.arg(0, "an address"), call.arg(1, "a size"));
    let start = addr & !(PAGE - 1);
    let len = whole_pages(len.wrapping_add(addr - start));
    start.checked_add(len).ok_or(EINVAL)?;
    Ok((start, len))
}

/// All pages are there at any time, so locking them changes nothing.
pub(crate) fn mlock(call: &mut Call<'_>) -> CallResult {
    let (start, len) = locked_range(call)?;
    require_pages(call, start, len, true)?;
    call.change().process.has_locked_pages = true;
    Ok(0.into())
}

pub(crate) fn mlock2(call: &mut Call<'_>) -> CallResult {
    const ON_FAULT: u32 = 1;
    let flags = call.flags(2, "the flags of mlock2");
    match flags & !ON_FAULT {
        0 if flags == 0 => mlock(call),
        0 => {
            let (start, len) = locked_range(call)?;
            require_pages(call, start, len, false)?;
            call.change().process.has_locked_pages = true;
            Ok(0.into())
        }
        _ => Err(EINVAL.into()),
    }
}

pub(crate) fn munlock(call: &mut Call<'_>) -> CallResult {
    let (start, len) = locked_range(call)?;
    require_pages(call, start, len, false)
}

pub(crate) fn mlockall(call: &mut Call<'_>) -> CallResult {
    /// MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT, of which the last says how.
    const ALL: u32 = 7;
    const ON_FAULT: u32 = 4;
    let flags = call.flags(0, "the flags of mlockall");
    if flags == 0 || flags == ON_FAULT || flags & !ALL != 0 {
        return Err(EINVAL.into());
    }
    call.change().process.has_locked_pages = true;
    Ok(0.into())
}

pub(crate) fn munlockall(_: &mut Call<'_>) -> CallResult {
    Ok(0.into())
}
