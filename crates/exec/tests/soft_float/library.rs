//! `runtime/softfloat` as machine code, loaded into the test.

use ir::{FloatFormat, SoftOp};
use std::ffi::{CString, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// A float, an integer or a bit: up to 80 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Value {
    pub low: u64,
    pub high: u64,
}

impl Value {
    pub fn bits(self) -> u128 {
        u128::from(self.low) | u128::from(self.high) << 64
    }
    pub fn of(bits: u128) -> Value {
        Value {
            low: bits as u64,
            high: (bits >> 64) as u64,
        }
    }
}

/// As `operations.c` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Sqrt,
    Fma,
    Round,
    Eq,
    Lt,
    Le,
    ToS16,
    ToS32,
    ToS64,
    FromS64,
    FromU64,
    ToF32,
    ToF64,
    ToF80,
}

/// As `environment.h` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Rounding {
    NearestEven,
    NearestAway,
    Upward,
    Downward,
    TowardZero,
}

impl Rounding {
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Upward,
        Rounding::Downward,
        Rounding::TowardZero,
    ];
}

type Soft = extern "C" fn(i32, i32, i32, Value, Value, Value, *mut u32) -> Value;
type Hard = extern "C" fn(i32, i32, i32, Value, Value, *mut u32) -> Value;

pub struct Library {
    handle: *mut c_void,
    soft: Soft,
    hard: Hard,
}

// SAFETY: a loaded library of pure functions.
unsafe impl Send for Library {}
// SAFETY: the same.
unsafe impl Sync for Library {}

/// Compiles and loads it once; `None`, and the test is counted as skipped, where there is no C compiler.
pub fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    testkit::need("gcc").then(|| LIBRARY.get_or_init(build))
}

fn build() -> Library {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = std::env::temp_dir().join(format!("polypath-softfloat-{}.so", std::process::id()));
    let done = Command::new("gcc")
        .args(["-std=gnu17", "-O2", "-w", "-shared", "-fPIC", "-I"])
        .arg(here.join("../../runtime/softfloat"))
        .arg(here.join("tests/soft_float/operations.c"))
        .arg("-o")
        .arg(&out)
        .output()
        .expect("gcc starts");
    assert!(
        done.status.success(),
        "gcc: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    let path = CString::new(out.to_str().expect("UTF-8")).expect("a path");
    // SAFETY: our own library; its symbols have these types.
    let library = unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        assert!(!handle.is_null(), "dlopen {}", out.display());
        Library {
            handle,
            soft: std::mem::transmute::<*mut c_void, Soft>(symbol(handle, "soft")),
            hard: std::mem::transmute::<*mut c_void, Hard>(symbol(handle, "hard")),
        }
    };
    // It stays loaded.
    let _ = std::fs::remove_file(&out);
    library
}

fn symbol(handle: *mut c_void, name: &str) -> *mut c_void {
    let c = CString::new(name).expect("a C name");
    // SAFETY: the handle is open.
    let found = unsafe { libc::dlsym(handle, c.as_ptr()) };
    assert!(!found.is_null(), "{name} is missing");
    found
}

/// `struct extended` of `format.h`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Extended {
    significand: u64,
    sign_exponent: u16,
}

impl Library {
    /// Result and flags.
    pub fn soft(
        &self,
        format: i32,
        op: Operation,
        rounding: Rounding,
        v: [Value; 3],
    ) -> (Value, u32) {
        let mut flags = 0;
        let r = (self.soft)(
            format,
            op as i32,
            rounding as i32,
            v[0],
            v[1],
            v[2],
            &mut flags,
        );
        (r, flags)
    }

    /// The processor's result and flags.
    pub fn hard(
        &self,
        format: i32,
        op: Operation,
        rounding: Rounding,
        v: [Value; 3],
    ) -> (Value, u32) {
        let mut flags = 0;
        let r = (self.hard)(format, op as i32, rounding as i32, v[0], v[1], &mut flags);
        (r, flags)
    }

    /// Calls the function that the engine enters for `op`, as the engine passes operands: narrow results come
    /// zero extended.
    pub fn entry(&self, op: SoftOp, v: &[Value]) -> u128 {
        let f = symbol(self.handle, &op.symbol());
        let (operands, result) = op.widths();
        let mut words = [0u64; 6];
        let mut n = 0;
        for (value, w) in v.iter().zip(&operands) {
            words[n] = value.low;
            n += 1;
            if *w > 64 {
                words[n] = value.high;
                n += 1;
            }
        }
        let [a, b, c, d, e, g] = words;
        // SAFETY: integer arguments travel in registers of 64 bits whatever their type; surplus ones are ignored.
        // Results: up to 64 bits in one register, `struct extended` in two.
        unsafe {
            if result > 64 {
                type F = extern "C" fn(u64, u64, u64, u64, u64, u64) -> Extended;
                let x = std::mem::transmute::<*mut c_void, F>(f)(a, b, c, d, e, g);
                return u128::from(x.significand) | u128::from(x.sign_exponent) << 64;
            }
            type F = extern "C" fn(u64, u64, u64, u64, u64, u64) -> u64;
            let bits = std::mem::transmute::<*mut c_void, F>(f)(a, b, c, d, e, g);
            u128::from(bits) & (u128::MAX >> (128 - result))
        }
    }
}

/// Bits as the C code names the format.
pub fn number(format: FloatFormat) -> i32 {
    format.bits() as i32
}
