//! The subjects of both tables, with what the paper measured on the program that stands beside.

use crate::tools::formats::{avi, bmp, class_file, gif, mp3, pgm, wav};

/// A method that reads bytes or numbers.
pub struct Subject {
    pub name: &'static str,
    /// Class and method; a main method reads the file `A`.
    pub entry: &'static str,
    /// A valid file; without one the input is numbers.
    pub seed: Option<fn() -> Vec<u8>>,
    /// #NI / #T of the paper, with the name of its program.
    pub paper: &'static str,
}

/// Debian's libraries.
pub const JARS: &[&str] = &[
    "ij",
    "jl",
    "bcel",
    "tritonus_share",
    "tritonus_remaining",
    "tritonus_core",
    "imageio-bmp",
    "imageio-core",
    "common-io",
    "common-lang",
    "la4j",
    "colt",
];

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        /// What calls them.
        pub const SOURCES: &[(&str, &str)] = &[$(($name, include_str!(concat!("subjects/", $name)))),*];
    };
}

sources!(
    "ij/plugin/Images.java",
    "com/twelvemonkeys/imageio/plugins/bmp/Headers.java",
    "reading/Subjects.java",
    "reading/Avi.java",
    "reading/Pgm.java",
    "reading/Matrices.java",
);

/// Table 5.
#[rustfmt::skip]
pub const PARSERS: &[Subject] = &[
    Subject { name: "bmp (ImageJ)", entry: "ij.plugin.Images.bmp", seed: Some(bmp), paper: "BMPDecoder 134 / 1125, 0 / 5, 84 / 3746, 40 / 104" },
    Subject { name: "avi (ImageJ)", entry: "reading.Avi.main", seed: Some(avi), paper: "AviParser 117 / 340, 46 / 144, 101 / 1732, 0 / 114" },
    Subject { name: "pgm (ImageJ)", entry: "reading.Pgm.main", seed: Some(pgm), paper: "PGMParser 1 / 264, 1 / 263, 188 / 4736, 178 / 7362" },
    Subject { name: "gif (ImageJ)", entry: "ij.plugin.Images.gif", seed: Some(gif), paper: "GifParser 25 / 721, 5 / 60, 64 / 1905, 48 / 960" },
    Subject { name: "bmp headers (TwelveMonkeys)", entry: "com.twelvemonkeys.imageio.plugins.bmp.Headers.dib", seed: Some(bmp), paper: "ImgParserBMP 314 / 458, 21 / 114, 528 / 1784, 198 / 135" },
    Subject { name: "mp3 (JLayer)", entry: "reading.Subjects.mp3", seed: Some(mp3), paper: "JMP3Parser 286 / 214, 198 / 37, 653 / 319, 646 / 279" },
    Subject { name: "mp3 headers (JLayer)", entry: "reading.Subjects.mp3Headers", seed: Some(mp3), paper: "" },
    Subject { name: "wav (Tritonus)", entry: "reading.Subjects.wav", seed: Some(wav), paper: "" },
    Subject { name: "class file (BCEL)", entry: "reading.Subjects.classFile", seed: Some(class_file), paper: "Toba 344 / 1836, 87 / 117, 311 / 1670, 87 / 179" },
];

/// Doubles of a subject of Table 7: a matrix of three rows and three columns, and a vector.
pub const NUMBERS: usize = 12;

macro_rules! matrix {
    ($name:literal, $method:literal, $paper:literal) => {
        Subject {
            name: $name,
            entry: concat!("reading.Matrices.", $method),
            seed: None,
            paper: $paper,
        }
    };
}

/// Table 7.
#[rustfmt::skip]
pub const FLOATS: &[Subject] = &[
    matrix!("eigenvalues (la4j)", "eigen", "EigenD 244 / 3, 0 / 1, 1028 / 477, 965 / 20"),
    matrix!("Jacobi (la4j)", "jacobi", "JacobiS 13 / 1424, 6 / 43, 13 / 1151, 6 / 43"),
    matrix!("Cholesky (la4j)", "cholesky", "CholeskyD 1335 / 1376, 4 / 43, 8 / 1116, 8 / 42"),
    matrix!("least squares (la4j)", "leastSquares", "LeastS 2000 / 169, 0 / 1, 2246 / 573, 2196 / 43"),
    matrix!("square root (la4j)", "squareRoot", "SquareR 166 / 1541, 4 / 43, 8 / 1240, 8 / 44"),
    matrix!("eigenvalues (Colt)", "coltEigen", "EDAnalysis 418 / 8, 3 / 3, 392 / 8, 3 / 3"),
    matrix!("multiplication (Colt)", "multiply", ""),
    matrix!("sparse multiplication (Colt)", "multiplySparse", "Mutil 7 / 10, 0 / 4, 7 / 10, 0 / 4"),
    matrix!("rank (Colt)", "rank", "RankAnalysis 406 / 255, 180 / 15, 427 / 325, 427 / 20"),
    matrix!("singular values (Colt)", "singular", "SVDAnalysis 427 / 204, 418 / 38, 427 / 276, 427 / 19"),
    matrix!("all decompositions (Colt)", "decompositions", "TVSAnalysis 430 / 343, 0 / 1, 612 / 484, 225 / 7"),
];

/// The averages of the paper's tables.
pub fn average(is_table7: bool) -> &'static str {
    if is_table7 {
        "495 / 484, 55 / 17, 469 / 514, 387 / 22"
    } else {
        "127 / 889, 36 / 108, 202 / 2536, 117 / 1139 (of 11)"
    }
}
