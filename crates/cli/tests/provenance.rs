//! An index stays in the object that its pointer was derived from: whatever leaves it is an error, natively too.

const PROGRAM: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
int before[64], a[8], after[64];
char old[64], copy[64];
int *table[4] = { before, a + 4, after, 0 };
int main(void)
{
    unsigned char in[3];
    unsigned long wide;
    klee_make_symbolic(in, sizeof in, "in");
    switch (in[0]) {
    case 0: return a[in[1]];
    case 1: return a[in[1] - 1];
    case 2: /* correct, and its constant part is in another array */
        if (in[1] < 100 || in[1] >= 108) return 0;
        return a[in[1] - 100];
    case 3: /* correct, and without a constant part */
        return table[in[1] % 3][in[2] % 4];
    case 4: {
        int *heap = malloc(16), *other = malloc(400);
        other[0] = heap[0] = 1;
        return heap[in[1] % 5];
    }
    case 5: {
        int local[4] = {0}, more[40] = {0};
        return local[in[1] % 5] + more[in[2] % 40];
    }
    case 6: if (in[1] >= 8) return 1;
            return a[7 - in[1]];
    case 7: a[in[1]] = 3; return 0;
    case 8: /* a null pointer of several, with any index */
        klee_make_symbolic(&wide, sizeof wide, "wide");
        return table[in[1] % 2 ? 3 : 1][wide];
    case 9: { /* correct: a pointer of a table moved to a copy */
        char *marks[4] = { old, old + 7, old + 31, old + 63 };
        long at = marks[in[1] % 4] - old;
        if (in[2] > 63 - at) return 0;
        return copy[at + in[2]];
    }
    }
    return 0;
}
"#;

#[test]
fn what_leaves_its_object_is_an_error_in_both_modes() {
    let Some(place) = testkit::engine!("modes") else {
        return;
    };
    place.write("t.c", PROGRAM);
    for mode in ["fork", "concolic"] {
        let run = place.polypath(["run", "--mode", mode, "--out", mode, "t.c"]);
        let said = run.stderr;
        assert_eq!(run.code, 1, "{mode}: {said}");
        assert!(said.contains("everything was explored"), "{mode}: {said}");
        let errors = place.json(&format!("{mode}/errors.json"));
        let mut found: Vec<(u64, &str)> = errors
            .as_array()
            .unwrap()
            .iter()
            .map(|e| (e["line"].as_u64().unwrap(), e["kind"].as_str().unwrap()))
            .collect();
        found.sort_unstable();
        let outside = |line| (line, "out_of_bounds");
        let mut expected = [13, 14, 23, 27, 31, 34].map(outside).to_vec();
        expected.insert(5, (34, "null"));
        assert_eq!(found, expected, "{mode}");
        let said = place.polypath(["replay", mode]).text();
        assert_eq!(said.matches(": confirmed: ").count(), 7, "{mode}: {said}");
        assert!(said.contains("same path"), "{mode}: {said}");
        for wrong in ["diverge", "contradicted"] {
            assert!(!said.contains(wrong), "{mode}: {said}");
        }
    }
}
