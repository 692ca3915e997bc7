//! In forking mode, neighbours of a state's witness take branches before the solver is asked.

use std::collections::BTreeSet;
use testkit::engine;

/// Two bytes, mixed: each branch depends on both.
const MIXED: &str = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char in[2]; unsigned h = 7, r = 0;
    klee_make_symbolic(in, sizeof in, "in");
    for (int i = 0; i < 8; i++) {
        h = (h * 31 + in[i & 1] * in[(i + 1) & 1] + in[i & 1]) ^ (h >> 3);
        if ((h & 31) < 9) r |= 1u << i;
    }
    return r == 77;
}
"#;

/// The branches that an input takes.
fn branches(input: [u32; 2]) -> u32 {
    let (mut h, mut taken) = (7u32, 0);
    for i in 0..8 {
        let (one, other) = (input[i & 1], input[(i + 1) & 1]);
        h = h.wrapping_mul(31).wrapping_add(one * other + one) ^ (h >> 3);
        taken |= u32::from(h & 31 < 9) << i;
    }
    taken
}

#[test]
fn neighbours_spare_queries_and_every_path_is_found_once() {
    let Some(dir) = engine!("neighbours") else {
        return;
    };
    dir.write("mixed.c", MIXED);
    let ran = dir
        .command()
        .args(["run", "--out", "out", "--jobs", "1", "mixed.c"])
        .output()
        .unwrap();
    let stats = testkit::json(&dir.join("out/stats.json"));
    let all = (0..256).flat_map(|a| (0..256).map(move |b| branches([a, b])));
    let all: BTreeSet<u32> = all.collect();
    assert_eq!(stats["completed_paths"], all.len(), "{ran:?}");
    assert_eq!(stats["halted"], serde_json::Value::Null);
    assert!(stats["neighbours"].as_u64() > Some(10), "{stats}");
}
