//! Numbers in texts against the JVM: generated texts are read by a run in check mode, which compares each term with what the JVM computes,
//! and by a plain JVM, whose answers the run has to give, too.

use crate::check::{Last, QUOTA, compile, options, started};
use dse::Program as _;
use explore::{PathOutcome, SoFar as _};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use testkit::Random;

/// Texts that are looked at: each corner of the list, and as many generated ones as the variable says.
fn count() -> usize {
    let count = std::env::var("POLYPATH_NUMBERS");
    count.map_or(400, |n| n.parse().expect("a number"))
}

/// Bytes from 128 on are characters of other scripts: ten digits, and then some that are none.
const CORNERS: &[&[u8]] = &[
    b"",
    b" ",
    b"0",
    b"-0",
    b"+0",
    b"-",
    b"+",
    b".",
    b"-.",
    b"0.",
    b".0",
    b"..",
    b"1..",
    b"1.2.3",
    b"00",
    b"007",
    b"-00.00",
    b"1e",
    b"1e+",
    b"1e-",
    b"1e5",
    b"1E5",
    b"1e05",
    b"1e+5",
    b"1e-5x",
    b"1d",
    b"1D",
    b"1f",
    b"1F",
    b"1dd",
    b"1d ",
    b"1l",
    b"1L",
    b" 1",
    b"1 ",
    b"\t1\n",
    b"\x0b1",
    b"1\0",
    b"1_0",
    b"0x",
    b"0x1",
    b"0x1p3",
    b"0X1.8P-1",
    b"-0x1p1",
    b"x1",
    b"0x1.fffffffffffff8p0",
    b"NaN",
    b"-NaN",
    b"NaNd",
    b"nan",
    b"N",
    b"Infinity",
    b"-Infinity",
    b"+Infinity",
    b"Infinit",
    b"Inf",
    b"I",
    b"1e308",
    b"1e309",
    b"1e-323",
    b"1e-324",
    b"1e-325",
    b"4.9e-324",
    b"2.4703282292062327e-324",
    b"2.4703282292062328e-324",
    b"1.7976931348623157e308",
    b"1.7976931348623158e308",
    b"1.7976931348623159e308",
    b"179769313486231570e291",
    b"2.2250738585072014e-308",
    b"2.2250738585072011e-308",
    b"2.2250738585072012e-308",
    b"9007199254740993",
    b"9007199254740992.5",
    b"0.1",
    b"1e22",
    b"1e23",
    b"123456789012345678",
    b"1234567890123456789",
    b"12345678901234567",
    b"3.4028235e38",
    b"3.4028236e38",
    b"1.4e-45",
    b"7e-46",
    b"7.1e-46",
    b"16777217",
    b"1e38",
    b"1e39",
    b"1e-64",
    b"1e-65",
    b"1e99999999",
    b"1e-99999999",
    b"1e999999999",
    b"0e999999999",
    b".00000000000000001e325",
    b".00000000000000001e326",
    b"0.0000000000000000001e327",
    b"2147483647",
    b"2147483648",
    b"-2147483648",
    b"-2147483649",
    b"+2147483647",
    b"0000000002147483647",
    b"9999999999",
    b"4294967295",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775808",
    b"-9223372036854775809",
    b"999999999999999999",
    b"1000000000000000000",
    b"00000000000000000000001",
    b"\x81\x82",
    b"-\x81",
    b"1\x84",
    b"\x8a",
    b"1\xff",
    b"\xff.1",
];

/// A text of one of many shapes, most of them numbers.
fn text(random: &mut Random) -> Vec<u8> {
    let digits = |random: &mut Random, n: usize| -> String {
        let mut digit = || char::from(b'0' + random.below(10) as u8);
        (0..n).map(|_| digit()).collect()
    };
    let mut text = match random.below(10) {
        0 | 1 => format!("{:e}", f64::from_bits(random.next())),
        2 => format!("{:e}", f32::from_bits(random.next() as u32)),
        // Near the middle between two doubles: the first digits of a number of 54 bits.
        3 => {
            let tie = (1u128 << 53 | u128::from(random.next() >> 11)) * 2 + 1;
            let shift = random.below(60) as u32;
            let all = (tie << shift).to_string();
            let n = all.len().min(17);
            format!("{}e{}", &all[..n], all.len() - n)
        }
        4 => {
            let tie = u64::from(1u32 << 24 | random.next() as u32 >> 8) * 2 + 1;
            format!("{}", tie << random.below(20))
        }
        5 => {
            let (before, behind) = (random.index(9), random.index(9));
            format!("{}.{}", digits(random, before), digits(random, behind))
        }
        6 => {
            let (n, e) = (1 + random.index(17), random.range(-345, 345));
            format!("{}e{e}", digits(random, n))
        }
        7 => {
            let n = 1 + random.index(20);
            digits(random, n)
        }
        8 => format!("{}", random.next() as i64 >> random.below(63)),
        _ => {
            let n = random.index(6);
            (0..n)
                .map(|_| random.pick(&['0', '9', '.', 'e', 'E', '-', '+', 'd', 'f', ' ', 'x']))
                .collect()
        }
    }
    .into_bytes();
    if random.chance(20) {
        text.insert(0, random.pick(b"+- 0"));
    }
    if random.chance(10) {
        text.push(random.pick(b"dDfF0 "));
    }
    if random.chance(5) && !text.is_empty() {
        let at = random.index(text.len());
        text[at] = random.pick(b"0.e-\x80\x89\x90 ");
    }
    text.truncate(LONGEST - 1);
    text
}

const LONGEST: usize = 40;

#[test]
fn numbers_in_texts_are_what_a_jvm_reads() {
    let _limit = testkit::limit();
    if !testkit::need("java") {
        return;
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-numbers");
    std::fs::create_dir_all(&place).unwrap();
    compile(&place, "Numbers.java");
    let mut random = Random::new(1);
    let mut texts: Vec<Vec<u8>> = Vec::new();
    let generated: Vec<Vec<u8>> = (0..count()).map(|_| text(&mut random)).collect();
    for text in CORNERS.iter().map(|text| text.to_vec()) {
        texts.extend(b"dfij".iter().map(|&kind| [&[kind], &text[..]].concat()));
    }
    for text in generated {
        let kind = random.pick(b"dddffij");
        texts.push([&[kind], &text[..]].concat());
    }
    let mut lines = String::new();
    for text in &texts {
        text.iter().for_each(|b| write!(lines, "{b:02x}").unwrap());
        lines.push('\n');
    }
    std::fs::write(place.join("lines"), lines).unwrap();
    let plain = Command::new("java")
        .args(["-cp", ".", "Numbers"])
        .current_dir(&place)
        .stdin(Stdio::from(
            std::fs::File::open(place.join("lines")).unwrap(),
        ))
        .output()
        .expect("java");
    assert!(plain.status.success(), "{plain:?}");
    let wanted = String::from_utf8(plain.stdout).unwrap();
    let wanted: Vec<&str> = wanted.lines().collect();
    assert_eq!(wanted.len(), texts.len());

    let options = options(&place, "Numbers.outcome", LONGEST as u32);
    let mut java = started(options);
    let mut last = Last::default();
    for (text, wanted) in texts.iter().zip(wanted) {
        let input = java.raw_input(text).unwrap();
        java.heard_by(&mut last).run(&input, QUOTA);
        let said = PathOutcome::Returned(format!("J {wanted}"));
        assert_eq!(last.0, Some(said), "{:?}", String::from_utf8_lossy(text));
    }
    let (totals, rows) = (java.totals(), java.rows(false));
    assert_eq!(totals.wrong, Vec::<String>::new());
    assert!(totals.lost_at.is_empty(), "{:?}", totals.lost_at);
    let checked = rows
        .iter()
        .find(|row| row.0 == "java_checked")
        .map_or(0, |row| row.1);
    assert!(checked > texts.len() as u64, "{checked} of {}", texts.len());
}
