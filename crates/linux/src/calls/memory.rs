//! Memory: the machine keeps the address space; here is what the calls mean.

use crate::abi::*;
use crate::bytes::Bytes;
use crate::call::{Call, CallResult, EarlyReturn};
use crate::cx::{MapRefusal, MapRequest};
use crate::inode::{Device, Kind};
use crate::world::Met;

const PAGE: u64 = 4096;
const ADDRESS_MAX: u64 = 1 << 47;
/// Flags of `mmap` that are modelled, or that change nothing which a program could see: where it lies, who shares it, and
/// MAP_DENYWRITE, MAP_EXECUTABLE, MAP_LOCKED, MAP_NORESERVE, MAP_POPULATE, MAP_NONBLOCK, MAP_STACK.
const MODELLED: u32 = MAP_TYPE
    | MAP_FIXED
    | MAP_FIXED_NOREPLACE
    | MAP_ANONYMOUS
    | 0x800
    | 0x1000
    | 0x2000
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
    let request = MapRequest {
        hint,
        fixed: fixed || no_replace,
        no_replace,
        len,
        prot,
        content,
    };
    let answer = call.cx.map_memory(&request);
    Ok(modelled(call, answer)?.into())
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
        Kind::File(content) => content.read(offset, len)?,
        Kind::Stream(s) if stream == Some(crate::StreamKind::File) => {
            s.content.read(offset, len)?
        }
        Kind::Device(Device::Zero) => return Ok(None),
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
    if addr % PAGE != 0 {
        return Err(EINVAL.into());
    }
    if DISCARD.contains(&advice) && len > 0 {
        call.note_unmodelled("madvise to discard pages");
        return Err(EINVAL.into());
    }
    match advice {
        0..=4 | 8..=23 => Ok(0.into()),
        _ => Err(EINVAL.into()),
    }
}

/// msync, mlock and their like: nothing to do.
pub(crate) fn nothing(_: &mut Call<'_>) -> CallResult {
    Ok(0.into())
}
