//! Names of functions for people: symbols of C++ in words.
//!
//! Files keep the symbol, which the linker and other tools know; what is shown says `ns::Class::method(int)`.

use cpp_demangle::{DemangleOptions, Symbol};
use std::borrow::Cow;

/// A symbol as its source writes it.
pub fn readable(symbol: &str) -> Cow<'_, str> {
    if !symbol.starts_with("_Z") {
        return Cow::Borrowed(symbol);
    }
    let options = DemangleOptions::new().no_return_type();
    match Symbol::new(symbol).map(|s| s.demangle(&options)) {
        Ok(Ok(text)) => Cow::Owned(text),
        // Not a symbol of C++ after all, or one that nobody can read.
        _ => Cow::Borrowed(symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn symbols_of_cxx_are_read_and_others_left_alone() {
        assert_eq!(readable("_ZN2ns5Class6methodEi"), "ns::Class::method(int)");
        assert_eq!(readable("_Z3addIiET_S0_S0_"), "add<int>(int, int)");
        assert_eq!(readable("main"), "main");
        assert_eq!(readable("_Zebra"), "_Zebra");
    }
}
