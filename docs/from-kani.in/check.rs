#![no_std]
#![no_main]

/// The value of a digit in base 16.
fn digit(c: u8) -> u8 {
    match c {
        b'0'..=b'9' => c - b'0',
        _ => 10 + (c | 0x20) - b'a',
    }
}

// What `kani::any()` and `kani::assume()` are here.
unsafe extern "C" {
    fn klee_make_symbolic(at: *mut u8, size: usize, name: *const u8);
    fn klee_assume(holds: usize);
    fn abort() -> !;
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut c = 0u8;
    unsafe {
        klee_make_symbolic(&mut c, 1, c"c".as_ptr().cast());
        klee_assume((c < 0x80) as usize);
    }
    assert!(digit(c) < 16);
    0
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unsafe { abort() }
}
