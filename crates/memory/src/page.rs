//! A page: bytes, two bit sets over them, and separate structures for rare states.
//!
//! A byte is in one of these states, distinguished without a tag per byte:
//!
//! | addressable | plain | cell in `side` | state |
//! |---|---|---|---|
//! | no  | no  | no  | unaddressable |
//! | yes | yes | no  | concrete |
//! | yes | no  | yes | symbolic |
//! | yes | no  | no  | in an array overlay if there is one, else uninitialized |
//!
//! Read-only bytes are rare and live apart from others mostly; only pages that have some carry
//! the set of them, and then a second mask for stores.

use crate::mask::Mask;
use crate::side::SymbolicBytes;
use std::cell::UnsafeCell;
use std::rc::Rc;
use term::Term;

/// Base-2 logarithm of [`PAGE`].
pub(crate) const PAGE_BITS: u32 = 10;
/// Bytes of a page.
pub(crate) const PAGE: usize = 1 << PAGE_BITS;

/// The read-only bytes of a page, and the plain bytes without them.
#[derive(Clone)]
struct ReadOnly {
    bytes: Mask,
    plain_write: Mask,
}

/// One page of memory.
#[repr(C)]
pub(crate) struct Page {
    pub bytes: [u8; PAGE],
    plain: Mask,
    addressable: Mask,
    side: Option<Rc<SymbolicBytes>>,
    read_only: Option<Box<ReadOnly>>,
}

/// The content of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ByteState {
    Unaddressable,
    Concrete(u8),
    Symbolic(Term, u8),
    /// Uninitialized, or in an overlay.
    Unset,
}

impl Page {
    /// A page without an addressable byte.
    pub fn empty() -> Page {
        Page {
            bytes: [0; PAGE],
            plain: Mask::EMPTY,
            addressable: Mask::EMPTY,
            side: None,
            read_only: None,
        }
    }

    /// A page without an addressable byte, in its shared place; not built on the way there.
    pub fn empty_shared() -> Rc<PageCell> {
        let mut shared = Rc::<PageCell>::new_uninit();
        let place = Rc::get_mut(&mut shared).expect("just made");
        // SAFETY: all zeros is an empty page: byte and bit arrays, and options of pointers that
        // are `None` as null.
        unsafe {
            place.as_mut_ptr().write_bytes(0, 1);
            shared.assume_init()
        }
    }

    /// A copy in a shared place; not copied on the way there.
    fn to_shared(&self) -> Rc<PageCell> {
        let mut shared = Rc::<PageCell>::new_uninit();
        let place = Rc::get_mut(&mut shared)
            .expect("just made")
            .as_mut_ptr()
            .cast::<Page>();
        // SAFETY: `PageCell` is transparent. The bitwise copy is complete but for the two owning
        // fields, which are overwritten by clones before anyone sees them.
        unsafe {
            std::ptr::copy_nonoverlapping(self, place, 1);
            (&raw mut (*place).side).write(self.side.clone());
            (&raw mut (*place).read_only).write(self.read_only.clone());
            shared.assume_init()
        }
    }

    /// A page inside one object that was never written.
    pub fn untouched(plain: bool) -> Page {
        let mut page = Page::empty();
        page.add(0, PAGE, plain, false);
        page
    }

    /// A page inside one object that holds one byte everywhere.
    pub fn of_byte(byte: u8) -> Rc<PageCell> {
        let mut page = Page::untouched(true);
        page.bytes.fill(byte);
        Rc::new(PageCell::new(page))
    }

    /// A page inside one object that holds one 8-bit term everywhere.
    pub fn of_term(term: Term) -> Rc<PageCell> {
        let mut page = Page::untouched(true);
        for at in 0..PAGE {
            page.write_term(at, at + 1, term, 0);
        }
        Rc::new(PageCell::new(page))
    }

    /// The mask that loads test, of a page behind a raw pointer.
    ///
    /// # Safety
    /// `page` points to a page.
    #[inline(always)]
    pub unsafe fn plain_of(page: *const Page) -> *const Mask {
        // SAFETY: by the caller.
        unsafe { &raw const (*page).plain }
    }

    #[inline(always)]
    pub fn plain(&self) -> &Mask {
        &self.plain
    }

    /// The mask that a store of concrete bytes tests.
    #[inline(always)]
    pub fn plain_write(&self) -> &Mask {
        match &self.read_only {
            None => &self.plain,
            Some(read_only) => &read_only.plain_write,
        }
    }

    #[inline]
    pub fn addressable(&self, from: usize, to: usize) -> bool {
        self.addressable.all(from, to)
    }

    pub fn is_unused(&self) -> bool {
        self.addressable.is_empty()
    }

    pub fn has_read_only(&self, from: usize, to: usize) -> bool {
        self.read_only
            .as_ref()
            .is_some_and(|read_only| read_only.bytes.any(from, to))
    }

    #[inline]
    pub fn state(&self, offset: usize) -> ByteState {
        if self.plain.get(offset) {
            ByteState::Concrete(self.bytes[offset])
        } else if !self.addressable.get(offset) {
            ByteState::Unaddressable
        } else {
            match self.cell(offset) {
                (Term::NONE, _) => ByteState::Unset,
                (term, index) => ByteState::Symbolic(term, index),
            }
        }
    }

    #[inline]
    pub fn cell(&self, offset: usize) -> (Term, u8) {
        self.side
            .as_ref()
            .map_or((Term::NONE, 0), |side| side.get(offset))
    }

    pub fn side(&self) -> Option<&Rc<SymbolicBytes>> {
        self.side.as_ref()
    }

    pub fn has_cells(&self, from: usize, to: usize) -> bool {
        self.side.as_ref().is_some_and(|side| side.any(from, to))
    }

    /// Brings the mask for stores up to date after a change of `plain`.
    #[inline]
    fn plain_changed(&mut self) {
        if let Some(read_only) = &mut self.read_only {
            read_only
                .plain_write
                .assign_difference(&self.plain, &read_only.bytes);
        }
    }

    fn drop_cells(&mut self, from: usize, to: usize) {
        if let Some(side) = &mut self.side {
            if from == 0 && to == PAGE {
                self.side = None;
            } else if side.any(from, to) {
                let side = Rc::make_mut(side);
                side.clear(from, to);
                if side.is_empty() {
                    self.side = None;
                }
            }
        }
    }

    /// Clears from..to. Most objects begin at multiples of 16 and have a red zone behind them:
    /// small ones are cleared by whole words.
    #[inline]
    fn zero(&mut self, from: usize, to: usize) {
        let end = to.next_multiple_of(16);
        if from.is_multiple_of(16) && to - from <= 64 && !self.addressable.any(to, end) {
            for word in self.bytes[from..end].chunks_exact_mut(16) {
                word.fill(0);
            }
        } else {
            self.bytes[from..to].fill(0);
        }
    }

    /// The bytes from..to become addressable, with zeros in them, initialized or not.
    pub fn add(&mut self, from: usize, to: usize, initialized: bool, read_only: bool) {
        if from == to {
            return;
        }
        self.zero(from, to);
        self.addressable.set(from, to);
        if initialized {
            self.plain.set(from, to);
        }
        if read_only {
            let set = self.read_only.get_or_insert_with(|| {
                Box::new(ReadOnly {
                    bytes: Mask::EMPTY,
                    plain_write: Mask::EMPTY,
                })
            });
            set.bytes.set(from, to);
        }
        self.plain_changed();
    }

    /// The bytes from..to, addressable all, are initialized where they have no content.
    pub fn settle(&mut self, from: usize, to: usize) {
        if self.has_cells(from, to) {
            for offset in from..to {
                if self.cell(offset).0.is_none() {
                    self.plain.set(offset, offset + 1);
                }
            }
        } else {
            self.plain.set(from, to);
        }
        self.plain_changed();
    }

    /// The bytes from..to are not addressable any more.
    pub fn remove(&mut self, from: usize, to: usize) {
        self.drop_cells(from, to);
        self.addressable.clear(from, to);
        self.plain.clear(from, to);
        if let Some(read_only) = &mut self.read_only {
            read_only.bytes.clear(from, to);
            self.plain_changed();
        }
    }

    /// The bytes from..to, removed before, become addressable again with the concrete bytes they had.
    pub fn restore(&mut self, from: usize, to: usize, initialized: bool) {
        self.addressable.set(from, to);
        if initialized {
            self.plain.set(from, to);
        }
        self.plain_changed();
    }

    /// The bytes from..to, addressable all, become read-only or writable.
    pub fn protect(&mut self, from: usize, to: usize, read_only: bool) {
        let set = self.read_only.get_or_insert_with(|| {
            Box::new(ReadOnly {
                bytes: Mask::EMPTY,
                plain_write: Mask::EMPTY,
            })
        });
        if read_only {
            set.bytes.set(from, to);
        } else {
            set.bytes.clear(from, to);
        }
        if set.bytes.is_empty() {
            self.read_only = None;
        } else {
            self.plain_changed();
        }
    }

    /// Makes from..to concrete, so that the caller may write the bytes.
    #[inline]
    pub fn make_plain(&mut self, from: usize, to: usize) {
        if self.side.is_some() {
            self.drop_cells(from, to);
        }
        self.plain.set(from, to);
        self.plain_changed();
    }

    /// The bytes from..to lose their content: an overlay or nothing stands behind them.
    pub fn unset(&mut self, from: usize, to: usize) {
        self.drop_cells(from, to);
        self.plain.clear(from, to);
        self.bytes[from..to].fill(0);
        self.plain_changed();
    }

    #[inline]
    pub fn write(&mut self, from: usize, data: &[u8]) {
        self.bytes[from..from + data.len()].copy_from_slice(data);
        self.make_plain(from, from + data.len());
    }

    /// Writes the bytes `index..` of `term` to from..to.
    pub fn write_term(&mut self, from: usize, to: usize, term: Term, index: u8) {
        let side = Rc::make_mut(
            self.side
                .get_or_insert_with(|| Rc::new(SymbolicBytes::new())),
        );
        side.set(from, to, term, index);
        self.bytes[from..to].fill(0);
        self.plain.clear(from, to);
        self.plain_changed();
    }

    pub fn heap_bytes(&self) -> usize {
        let read_only = self
            .read_only
            .as_ref()
            .map_or(0, |_| std::mem::size_of::<ReadOnly>());
        std::mem::size_of::<Page>() + 16 + read_only
    }
}

/// A page in its shared place. The software TLB keeps raw pointers into it while it is unique to
/// the running state, hence the cell: writing through such a pointer is allowed beside `&PageCell`.
#[repr(transparent)]
pub(crate) struct PageCell(UnsafeCell<Page>);

impl PageCell {
    pub fn new(page: Page) -> PageCell {
        PageCell(UnsafeCell::new(page))
    }

    #[inline(always)]
    pub fn raw(&self) -> *mut Page {
        self.0.get()
    }

    #[inline(always)]
    pub fn page(&self) -> &Page {
        // SAFETY: `&mut Page` is only handed out by `make_unique` and by the TLB, each time through
        // `&mut Memory` (and `&mut Tlb`) of the only state that holds the page; the engine is
        // single-threaded (`Rc`).
        unsafe { &*self.0.get() }
    }

    /// The page behind `slot` for writing: copied first when others hold it too.
    #[inline]
    pub fn make_unique(slot: &mut Rc<PageCell>) -> &mut Page {
        if Rc::strong_count(slot) != 1 {
            *slot = slot.page().to_shared();
        }
        // SAFETY: `slot` is the only holder and is borrowed mutably.
        unsafe { &mut *slot.0.get() }
    }
}
