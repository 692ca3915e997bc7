use super::*;

const HEADER: &str = r#"
#ifndef A_H /* int nothing(char *p); p must not be null */
#define CALL(f) f()
extern "C" {
struct buf { char *data __counted_by(len); unsigned len; struct { int x; } in; int *v __attribute__((__sized_by__(bytes))); long bytes; };
typedef struct { void **all __counted_by ( n ) ; int n; } list_t;
/* A banner. */

/**
 * Encodes.
 *
 * @param buf the array
 * @warning The amount of free space at `buf` must
 *          exceed the data by one byte, and so on.
 */
EXPORT(long) encode(int *buf, long count);
int plain(char *s); /* s must not be NULL. */
int other(const char *s, int n); // of its own
// The sum of v,
// which must not be a null pointer.
int sum(const int *v,
        unsigned n) __attribute__((access(read_only, 1, 2)));
double mean(int n, const double v[n], double w[static 6], int m[2][3]);
/* If s is not null, it is copied; needs more time by one. */
DECLARE(int, copy)(char *s, char *t);
}
"#;

fn said(function: &str, parameters: &[(&str, bool)]) -> Said {
    let known: Vec<KnownParameter<'_>> = parameters
        .iter()
        .map(|(name, is_pointer)| KnownParameter {
            name,
            is_pointer: *is_pointer,
        })
        .collect();
    let mut said = Said::default();
    said.read("a.h", HEADER, function, &known);
    said
}

#[test]
fn sentences_about_arguments_are_found_with_their_lines() {
    let of = |function: &str, known: &[(&str, bool)]| -> Vec<(String, Demand, String)> {
        let sentences = said(function, known).sentences.into_iter();
        sentences.map(|w| (w.parameter, w.about, w.quote)).collect()
    };
    // The definition calls the array `buffer`.
    let encode = of("encode", &[("buffer", true), ("length", false)]);
    let quote = "a.h:13: \"@warning The amount of free space at `buf` must exceed the data by one byte, and so on.\"";
    assert_eq!(encode, [("buffer".into(), Demand::MoreRoom, quote.into())]);
    let plain = of("plain", &[("s", true)]);
    let quote = "a.h:17: \"s must not be NULL.\"";
    assert_eq!(plain, [("s".into(), Demand::NotNull, quote.into())]);
    // It is behind another declaration.
    assert_eq!(of("other", &[("s", true), ("n", false)]), []);
    let sum = of("sum", &[("v", true), ("n", false)]);
    assert_eq!(sum.len(), 1, "{sum:?}");
    assert_eq!(sum[0].1, Demand::NotNull);
    assert_eq!(of("copy", &[("s", true), ("t", true)]), []);
    assert_eq!(of("nothing", &[("p", true)]), []);
}

#[test]
fn attributes_and_arrays_say_lengths() {
    let of = |function: &str, known: &[(&str, bool)]| -> Vec<(String, String)> {
        let lengths = said(function, known).lengths.into_iter();
        lengths.map(|l| (l.array, l.length)).collect()
    };
    let sum = of("sum", &[("v", true), ("size", false)]);
    assert_eq!(sum, [("v".to_string(), "size".to_string())]);
    let known = [("n", false), ("v", true), ("w", true), ("m", true)];
    let mean = of("mean", &known);
    let pair = |a: &str, n: &str| (a.to_string(), n.to_string());
    assert_eq!(mean, [pair("v", "n"), pair("w", "6")]);
    // Another number of parameters: it is another function.
    assert_eq!(of("mean", &known[..3]), []);
    let members = said("sum", &[]).members;
    let members: Vec<(&str, &str, &str, bool)> = members
        .iter()
        .map(|m| (&m.of[..], &m.array[..], &m.length[..], m.is_in_bytes))
        .collect();
    assert_eq!(
        members,
        [
            ("buf", "data", "len", false),
            ("buf", "v", "bytes", true),
            ("list_t", "all", "n", false)
        ]
    );
}
