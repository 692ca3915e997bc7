//! The functions of the mathematical library, for the evaluation of terms.
//!
//! Their values are those of the program's own library, bit for bit: its code is loaded as a shared object
//! ([`MathLibrary::load`], [`use_math_library`]). If none was loaded, as in tests of terms, they are the host's.

use super::READING;
use float::{FloatFormat, MathFunction, RoundingMode, pattern};
use std::path::Path;
use std::sync::OnceLock;

static LIBRARY: OnceLock<MathLibrary> = OnceLock::new();

/// The value of a function on bit patterns (the second one does not matter to a function of one argument). That of a format
/// beside `float` and `double` is the value of `double`, rounded.
pub fn math_value(format: FloatFormat, function: MathFunction, args: [u128; 2]) -> u128 {
    let library = LIBRARY.get();
    if format == FloatFormat::SINGLE {
        let [a, b] = args.map(|bits| f32::from_bits(bits as u32));
        let value = match library {
            Some(library) => library.single[function as usize].call(a, b),
            None => host_single(function, a, b),
        };
        return value.to_bits().into();
    }
    let widen = |bits| f64::from_bits(convert(format, FloatFormat::DOUBLE, bits) as u64);
    let [a, b] = args.map(widen);
    let value = match library {
        Some(library) => library.double[function as usize].call(a, b),
        None => host_double(function, a, b),
    };
    convert(FloatFormat::DOUBLE, format, value.to_bits().into())
}

/// To nearest even, if the formats differ.
pub(super) fn convert(from: FloatFormat, to: FloatFormat, bits: u128) -> u128 {
    if from == to {
        return bits;
    }
    pattern::convert(from, to, READING, RoundingMode::NearestEven, bits)
}

/// A function of one or two arguments.
#[derive(Clone, Copy)]
enum Code<F> {
    One(extern "C" fn(F) -> F),
    Two(extern "C" fn(F, F) -> F),
}

impl<F> Code<F> {
    fn call(self, a: F, b: F) -> F {
        match self {
            Code::One(f) => f(a),
            Code::Two(f) => f(a, b),
        }
    }
}

/// Every [`MathFunction`] of a library, for `double` and `float`.
pub struct MathLibrary {
    double: Vec<Code<f64>>,
    single: Vec<Code<f32>>,
    /// What the functions point into.
    _object: libloading::Library,
}

impl MathLibrary {
    /// Loads a shared object.
    ///
    /// # Errors
    /// It cannot be loaded, or a function is missing; in words.
    ///
    /// # Safety
    /// The object is a C mathematical library: what has the name of a [`MathFunction`] is that function, without
    /// side effects, and loading it runs no other code.
    #[allow(unsafe_code)]
    pub unsafe fn load(path: &Path) -> Result<MathLibrary, String> {
        // SAFETY: the caller says what the object is.
        let object = unsafe { libloading::Library::new(path) }.map_err(|e| e.to_string())?;
        let mut library = MathLibrary {
            double: Vec::new(),
            single: Vec::new(),
            _object: object,
        };
        for function in MathFunction::ALL {
            let (name, arity) = (function.name(), function.arity());
            // SAFETY: the caller says that these have C's types; they stay loaded with the object.
            unsafe {
                let double = code(&library._object, name, arity)?;
                let single = code(&library._object, &format!("{name}f"), arity)?;
                library.double.push(double);
                library.single.push(single);
            }
        }
        Ok(library)
    }
}

/// The function of this name.
///
/// # Safety
/// It takes `arity` arguments and gives one, all of the type `F`, and is not called when the object is gone.
#[allow(unsafe_code)]
unsafe fn code<F>(
    object: &libloading::Library,
    name: &str,
    arity: usize,
) -> Result<Code<F>, String> {
    // SAFETY: as the caller says.
    unsafe {
        Ok(if arity == 2 {
            Code::Two(*object.get(name.as_bytes()).map_err(|e| e.to_string())?)
        } else {
            Code::One(*object.get(name.as_bytes()).map_err(|e| e.to_string())?)
        })
    }
}

/// From now on, functions have the values that this library computes. Only the first library of a process counts: terms
/// keep their values.
pub fn use_math_library(library: MathLibrary) {
    LIBRARY.get_or_init(|| library);
}

macro_rules! call_host {
    ($name:ident, $float:ident) => {
        fn $name(function: MathFunction, a: $float, b: $float) -> $float {
            use MathFunction::*;
            match function {
                Sin => a.sin(),
                Cos => a.cos(),
                Tan => a.tan(),
                Asin => a.asin(),
                Acos => a.acos(),
                Atan => a.atan(),
                Atan2 => a.atan2(b),
                Sinh => a.sinh(),
                Cosh => a.cosh(),
                Tanh => a.tanh(),
                Asinh => a.asinh(),
                Acosh => a.acosh(),
                Atanh => a.atanh(),
                Exp => a.exp(),
                Exp2 => a.exp2(),
                Expm1 => a.exp_m1(),
                Log => a.ln(),
                Log2 => a.log2(),
                Log10 => a.log10(),
                Log1p => a.ln_1p(),
                Pow => a.powf(b),
                Cbrt => a.cbrt(),
                Hypot => a.hypot(b),
            }
        }
    };
}
call_host!(host_double, f64);
call_host!(host_single, f32);
