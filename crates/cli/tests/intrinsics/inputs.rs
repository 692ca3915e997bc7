//! Inputs of the cases, the same in each run.

use super::{IN, INPUTS};
use testkit::Random;

/// What operands are made of: 16 bytes each.
pub fn operand(random: &mut Random) -> [u8; 16] {
    let low = |bytes: &[u8]| {
        let mut all = [0; 16];
        all[..bytes.len()].copy_from_slice(bytes);
        all
    };
    let float = |random: &mut Random| {
        random.pick(&[
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            127.0,
            128.0,
            -129.0,
            255.9,
            65536.0,
            2147483648.0,
            -2147483649.0,
            4294967296.0,
            9.3e18,
            -9.3e18,
            1.9e19,
            1e20,
            1e38,
            2e38,
            -1e300,
            1e-310,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            0.1,
            1e7,
            4503599627370497.5,
        ])
    };
    match random.below(8) {
        0 => [0; 16],
        1 => [0xff; 16],
        2 => {
            // The ends of some width.
            let w = random.pick(&[7, 8, 13, 16, 31, 32, 33, 64, 65, 128]);
            let top = 1u128 << (w - 1);
            random.pick(&[top, top - 1, top + 1, top - 2]).to_le_bytes()
        }
        3 => low(&[random.pick(&[1, 2, 3, 5, 7, 8, 31, 33, 64, 127])]),
        4 | 5 => {
            let lanes = [float(random), float(random)].map(f64::to_le_bytes);
            lanes.concat().try_into().expect("16 bytes")
        }
        6 => {
            let lanes = [0; 4].map(|_| (float(random) as f32).to_le_bytes());
            lanes.concat().try_into().expect("16 bytes")
        }
        _ => [random.next(), random.next()]
            .map(u64::to_le_bytes)
            .concat()
            .try_into()
            .expect("16 bytes"),
    }
}

pub fn inputs() -> Vec<Vec<u8>> {
    let mut random = Random::new(35);
    (0..INPUTS)
        .map(|_| (0..IN / 16).flat_map(|_| operand(&mut random)).collect())
        .collect()
}
