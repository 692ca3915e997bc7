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

/// The name of a type as its source writes it, of the name that its `type_info` has.
pub fn type_name(name: &str) -> String {
    let symbol = format!("_ZTS{name}");
    match readable(&symbol).strip_prefix("typeinfo name for ") {
        Some(text) => text.to_owned(),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{readable, type_name};

    #[test]
    fn names_of_types_are_read_and_others_left_alone() {
        assert_eq!(type_name("i"), "int");
        assert_eq!(type_name("St13runtime_error"), "std::runtime_error");
        assert_eq!(type_name("N2ns1EE"), "ns::E");
        assert_eq!(type_name("?"), "?");
    }

    #[test]
    fn symbols_of_cxx_are_read_and_others_left_alone() {
        assert_eq!(readable("_ZN2ns5Class6methodEi"), "ns::Class::method(int)");
        assert_eq!(readable("_Z3addIiET_S0_S0_"), "add<int>(int, int)");
        assert_eq!(
            readable("_ZNSt3__110shared_ptrIiED2B8ne190107Ev"),
            "std::__1::shared_ptr<int>::~shared_ptr[abi:ne190107]()"
        );
        assert_eq!(readable("main"), "main");
        assert_eq!(readable("_Zebra"), "_Zebra");
    }
}
