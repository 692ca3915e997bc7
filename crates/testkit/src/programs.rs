//! Programs that several tests explore.

/// Each way to choose that is not a plain branch: values of operands, targets of addresses, cases, sizes of objects,
/// calls that fail, assumptions, conditions inside of one instruction. It has the more paths, the larger each of these is: the
/// elements of an array, the end of a range (at least 3), the largest size of an object (3 or 7).
pub fn choices(elements: u32, range: u32, size: u32) -> String {
    format!("#define ELEMENTS {elements}\n#define RANGE {range}\n#define MASK {size}\n{CHOICES}")
}

const CHOICES: &str = r#"
#include <klee/klee.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int left[ELEMENTS], right[ELEMENTS];
int main(void) {
    unsigned char in[6]; int sum = 0, range = klee_range(2, RANGE, "range");
    klee_make_symbolic(in, sizeof in, "in");
    int *which[3] = { left, right, calloc(ELEMENTS, sizeof(int)) };
    if (!which[2]) return 90;
    klee_assume(in[0] < 3 & in[1] < ELEMENTS);
    which[in[0]][in[1]] = 7;
    for (int i = 0; i < ELEMENTS; i++) sum += which[0][i] + 2 * which[1][i] + 3 * which[2][i];
    switch (in[2]) { case 1: sum += 1; break; case 4: case 5: sum += 2; break; case 200: sum = -sum; break; default: sum ^= 1; }
    char *p = malloc(in[3] & MASK);
    if (p && (in[3] & MASK) > MASK / 2 + 1) { memset(p, in[4], in[3] & MASK); sum += p[2] > 100; }
    char text[4] = { in[4], in[5], 'x', 0 };
    if (!strcmp(text, "ab")) sum += 1000;
    int f = open("/dev/null", O_WRONLY);
    if (f < 0) return 91;
    if (write(f, text, range) != range) return 92;
    close(f);
    return sum & 63;
}
"#;
