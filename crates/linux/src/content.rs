//! The content of a regular file: copy-on-write chunks over an optional host file.
//!
//! A fork shares everything; a write copies the one chunk that it touches and a short list of chunk
//! pointers. Chunks that are absent read from the base (a host file, read when first needed and
//! never written) or, past its end, as zero: holes cost nothing.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::rc::Rc;

use crate::abi::{EACCES, EIO};
use crate::bytes::{Bytes, Chunk};
use crate::chunks::Chunks;
use crate::trace::Tracer;

const CHUNK: u64 = 4096;

/// A regular file of the host, read as a whole on first use.
#[derive(Debug)]
pub(crate) struct HostFile {
    path: PathBuf,
    /// 512-byte blocks that it occupies.
    blocks: u64,
    bytes: OnceCell<Result<Vec<u8>, i32>>,
}

impl HostFile {
    pub(crate) fn new(path: PathBuf, blocks: u64) -> HostFile {
        HostFile {
            path,
            blocks,
            bytes: OnceCell::new(),
        }
    }

    fn bytes(&self) -> Result<&[u8], i32> {
        let read = || {
            room::need(self.blocks * 512);
            std::fs::read(&self.path).map_err(|e| match e.kind() {
                std::io::ErrorKind::PermissionDenied => EACCES,
                _ => EIO,
            })
        };
        self.bytes.get_or_init(read).as_deref().map_err(|&e| e)
    }
}

/// Bytes of a regular file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    size: u64,
    chunks: Chunks,
    base: Option<Rc<HostFile>>,
    /// The base shows only below this offset: a truncation cut the rest off.
    base_limit: u64,
}

impl Content {
    pub(crate) fn from_bytes(bytes: &Bytes) -> Content {
        let mut content = Content::default();
        content.write_unchecked(0, bytes);
        content
    }

    pub(crate) fn from_host(file: HostFile, size: u64) -> Content {
        Content {
            size,
            base: Some(Rc::new(file)),
            base_limit: size,
            ..Content::default()
        }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// 512-byte blocks that the file occupies.
    pub(crate) fn blocks(&self) -> u64 {
        match &self.base {
            // Untouched, with the holes that it has.
            Some(base) if self.chunks.is_empty() && self.base_limit == self.size => base.blocks,
            Some(_) => self.size.div_ceil(CHUNK) * (CHUNK / 512),
            None => self.chunks.len() * (CHUNK / 512),
        }
    }

    /// The most bytes that a write of so many bytes adds to the stored content.
    pub(crate) fn most_stored(count: u64) -> u64 {
        (count / CHUNK + 2) * CHUNK
    }

    /// Bytes that are kept for it.
    pub(crate) fn stored(&self) -> u64 {
        self.chunks.len() * CHUNK
    }

    /// At most `len` bytes from `offset` on; fewer at the end of the file.
    pub(crate) fn read(&self, offset: u64, len: u64) -> Result<Bytes, i32> {
        let end = offset.saturating_add(len).min(self.size);
        room::need(end.saturating_sub(offset));
        let mut bytes = Bytes::new();
        let mut at = offset;
        while at < end {
            let (index, start) = (at / CHUNK, (at % CHUNK) as usize);
            let stop = (end - index * CHUNK).min(CHUNK) as usize;
            let part = self.part(index, start, stop)?;
            bytes.extend(&part);
            at = index * CHUNK + stop as u64;
        }
        Ok(bytes)
    }

    /// Bytes `start..stop` of chunk `index`, zeros where nothing is stored.
    fn part(&self, index: u64, start: usize, stop: usize) -> Result<Bytes, i32> {
        let mut part = match self.chunks.get(index) {
            Some(chunk) => chunk.bytes(start.min(chunk.len())..stop.min(chunk.len())),
            None => Bytes::concrete(self.base_part(index, start, stop)?),
        };
        part.extend_concrete(&vec![0; stop - start - part.len()]);
        Ok(part)
    }

    fn base_part(&self, index: u64, start: usize, stop: usize) -> Result<&[u8], i32> {
        let Some(base) = &self.base else {
            return Ok(&[]);
        };
        let from = index * CHUNK + start as u64;
        let to = (index * CHUNK + stop as u64).min(self.base_limit);
        if from >= to {
            return Ok(&[]);
        }
        let bytes = base.bytes()?;
        let (from, to) = (
            (from as usize).min(bytes.len()),
            (to as usize).min(bytes.len()),
        );
        Ok(&bytes[from..to])
    }

    /// Checks that a write can copy what it needs from the base.
    pub(crate) fn writable(&self) -> Result<(), i32> {
        self.base.as_ref().map_or(Ok(()), |b| b.bytes().map(|_| ()))
    }

    /// Writes at `offset`, growing the file. Call `writable` first.
    pub(crate) fn write_unchecked(&mut self, offset: u64, bytes: &Bytes) {
        let mut done = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            let (index, start) = (at / CHUNK, (at % CHUNK) as usize);
            let count = (bytes.len() - done).min(CHUNK as usize - start);
            let fresh = match self.chunks.get(index) {
                Some(_) => Vec::new(),
                None => self
                    .base_part(index, 0, CHUNK as usize)
                    .unwrap_or_default()
                    .to_vec(),
            };
            let new = || Chunk::new(&Bytes::concrete(fresh));
            let chunk = self.chunks.get_or_insert(index, new);
            chunk.write(start, bytes, done..done + count);
            done += count;
        }
        self.size = self.size.max(offset + bytes.len() as u64);
    }

    /// Cuts or extends (with a hole) to `size`.
    pub(crate) fn resize(&mut self, size: u64) {
        if size < self.size {
            self.base_limit = self.base_limit.min(size);
            let last = self.chunks.last();
            if last.is_some_and(|last| (last + 1) * CHUNK > size) {
                self.chunks.cut(size.div_ceil(CHUNK));
                if let Some(chunk) = self.chunks.get_mut(size / CHUNK) {
                    chunk.truncate((size % CHUNK) as usize);
                }
            }
        }
        self.size = size;
    }

    /// The next offset with data (`hole` false) or in a hole (`hole` true), in chunks.
    pub(crate) fn seek_extent(&self, offset: u64, hole: bool) -> Option<u64> {
        if offset >= self.size {
            return None;
        }
        let mut at = offset;
        while at < self.size {
            let index = at / CHUNK;
            let stored =
                self.chunks.get(index).is_some() || (self.base.is_some() && at < self.base_limit);
            if stored != hole {
                return Some(at);
            }
            at = match (hole, self.chunks.next(index)) {
                (false, Some(next)) if self.base.is_none() => {
                    (next * CHUNK).max((index + 1) * CHUNK)
                }
                (false, None) if self.base.is_none() => return None,
                _ => (index + 1) * CHUNK,
            };
        }
        hole.then_some(self.size)
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        if tracer.first_visit(self.chunks.shared()) {
            for chunk in self.chunks.iter() {
                tracer.chunk(chunk);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &Content, offset: u64, len: u64) -> Vec<u8> {
        content.read(offset, len).unwrap().bits
    }

    #[test]
    fn writes_across_chunks_and_holes() {
        let mut content = Content::default();
        content.write_unchecked(4090, &Bytes::concrete(*b"0123456789"));
        assert_eq!(content.size(), 4100);
        assert_eq!(read(&content, 4088, 100), b"\0\x000123456789");
        content.write_unchecked(20000, &Bytes::concrete(*b"x"));
        assert_eq!(read(&content, 19999, 9), b"\0x");
        assert_eq!(content.seek_extent(8192, false), Some(16384));
        assert_eq!(content.seek_extent(0, true), Some(8192));
    }

    #[test]
    fn a_cut_leaves_zeros_when_extended_again() {
        let mut content = Content::from_bytes(&Bytes::concrete(*b"abcdef"));
        content.resize(2);
        content.resize(5);
        assert_eq!(read(&content, 0, 10), b"ab\0\0\0");
        content.write_unchecked(4, &Bytes::concrete(*b"z"));
        assert_eq!(read(&content, 0, 10), b"ab\0\0z");
    }

    #[test]
    fn forks_share_until_written() {
        let first = Content::from_bytes(&Bytes::concrete(vec![7; 10000]));
        let mut second = first.clone();
        second.write_unchecked(5000, &Bytes::concrete(*b"!"));
        assert_eq!(read(&first, 5000, 1), [7]);
        assert_eq!(read(&second, 4999, 3), [7, b'!', 7]);
        assert!(Rc::ptr_eq(
            first.chunks.get(0).unwrap(),
            second.chunks.get(0).unwrap()
        ));
    }
}
