//! What "Symbolic Execution of Floating-point Programs: How far are we?" reports.

/// A method's row in each table; the two numbers of an array are those of BFS and DFS.
pub struct Paper {
    /// Its name with us.
    pub method: &'static str,
    /// Lines covered in a function, on average (Fig. 2; of Fig. 3 the text gives no numbers).
    pub lines_a_function: Option<f64>,
    /// Lines covered in a file, on average (Fig. 4 and 5).
    pub lines_a_file: [Option<f64>; 2],
    /// Files in which it covers most (Fig. 4 and 5).
    pub best: [Option<f64>; 2],
    /// Overflow, underflow, invalid, division by zero (Tables I and II).
    pub exceptions: [[f64; 4]; 2],
}

macro_rules! measured {
    ($($method:literal: $function:literal, [$($files:literal),*], [$($best:literal),*], $bfs:expr, $dfs:expr;)*) => {
        &[$(Paper {
            method: $method,
            lines_a_function: Some($function),
            lines_a_file: [$(Some($files)),*],
            best: [$(Some($best)),*],
            exceptions: [$bfs, $dfs],
        }),*]
    };
}

#[rustfmt::skip]
const SINGLE: &[Paper] = measured! {
    "bvfp":   54.0, [494.0, 454.0], [11.0, 12.0], [303.0, 955.0, 4.0, 13.0],  [257.0, 594.0, 3.0, 11.0];
    "fuzz":   55.0, [510.0, 464.0], [12.0, 13.0], [459.0, 1488.0, 6.0, 9.0],  [399.0, 1097.0, 5.0, 12.0];
    "rso":    51.0, [473.0, 435.0], [9.0, 10.0],  [522.0, 1324.0, 4.0, 7.0],  [436.0, 994.0, 4.0, 12.0];
    "isc":    56.0, [515.0, 345.0], [13.0, 4.0],  [262.0, 271.0, 5.0, 17.0],  [75.0, 110.0, 0.0, 9.0];
    "search": 21.0, [190.0, 193.0], [0.0, 0.0],   [1.0, 108.0, 0.0, 8.0],     [2.0, 108.0, 0.0, 8.0];
};

const SYNERGY: Paper = Paper {
    method: "synergy",
    lines_a_function: None,
    lines_a_file: [None; 2],
    best: [None; 2],
    exceptions: [[557.0, 1576.0, 4.0, 13.0], [429.0, 1209.0, 5.0, 8.0]],
};

/// The paper's method of that name.
pub fn of(method: &str) -> Option<&'static Paper> {
    let all = SINGLE.iter().chain([&SYNERGY]);
    all.into_iter().find(|p| p.method == method)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums that the paper prints.
    #[test]
    fn the_sums_are_the_papers() {
        for (method, sums) in [
            ("bvfp", [1275.0, 865.0]),
            ("fuzz", [1962.0, 1513.0]),
            ("rso", [1857.0, 1446.0]),
            ("isc", [555.0, 194.0]),
            ("search", [117.0, 118.0]),
            ("synergy", [2150.0, 1651.0]),
        ] {
            let exceptions = of(method).unwrap().exceptions;
            assert_eq!(exceptions.map(|e| e.iter().sum::<f64>()), sums, "{method}");
        }
        assert!(of("auto").is_none());
    }
}
