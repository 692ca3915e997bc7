//! The programs of the rows.

/// `b[i]` is related to other variables.
pub const RELATION: &str = r#"int main(void) { unsigned i, j, x, y; klee_make_symbolic(&i, 4, "i"); klee_make_symbolic(&j, 4, "j");
klee_make_symbolic(&x, 4, "x"); klee_make_symbolic(&y, 4, "y"); if (i > 3 || j > 3) return 0; if (i + j <= 4) return 8;
if (x > 1000 || y > 1000) return 3; if (x + y < 14) return 4; if (y > x) return 5; if ((unsigned)b[i] > x) return 6; return 7; }
"#;

/// `b` is read twice in the condition that bounds the indices.
pub const CONDITION: &str = r#"int main(void) { unsigned i, j; klee_make_symbolic(&i, 4, "i"); klee_make_symbolic(&j, 4, "j"); if (i > 3 || j > 3) return 0;
if ((i + j > 4) & (b[i] + b[j] > 10)) return 1; return 8; }
"#;

/// Two reads of a table of short integers.
pub const TYPED: &str = r#"static const unsigned short t[16] = {0, 40503, 15470, 55973, 30940, 5907, 46410, 21377, 61880, 36847, 11814, 52317, 27284, 2251, 42754, 17721}; int main(void) { unsigned i, j; klee_make_symbolic(&i, 4, "i"); klee_make_symbolic(&j, 4, "j"); if (i > 15 || j > 15) return 0;
 if (t[i] > 60000 && t[j] < 9000 && i != j) return 1; return 2; }
"#;

/// Fig. 2 of "Multiplex symbolic execution", with its variables between -1,000 and 1,000.
pub const FIG2: &str = r#"#include <stdio.h>
int main(void) { int v[2]; if (fread(v, 4, 2, stdin) != 2) return 9; int x = v[0], y = v[1]; if (x < -1000 || x > 1000 || y < -1000 || y > 1000) return 8;
 if (x + y >= 2) { if (2 * y - x >= 1) { if (2 * x - y >= 0) return 2; return 1; } return 3; } return 4; }
"#;

/// The same with a last condition that contradicts those before.
pub const FIG2_UNSAT: &str = r#"#include <stdio.h>
int main(void) { int v[2]; if (fread(v, 4, 2, stdin) != 2) return 9; int x = v[0], y = v[1]; if (x < -1000 || x > 1000 || y < -1000 || y > 1000) return 8;
 if (x + y >= 2) { if (2 * y - x >= 1) { if (x + y <= 1) return 2; return 1; } return 3; } return 4; }
"#;

/// Fig. 4: the same on floats.
pub const FIG4: &str = r#"#include <stdio.h>
int main(void) { float f[2]; if (fread(f, 4, 2, stdin) != 2) return 9; float x = f[0], y = f[1];
if (x + y >= 2) { if (2 * y - x >= 1) { if (2 * x - y >= 0) return 2; return 1; } return 3; } return 4; }
"#;

/// Decisions about a hash of the input.
pub const HASH: &str = r#"#include <stdio.h>
int main(void) { unsigned char s[6]; if (fread(s, 1, 6, stdin) != 6) return 9; unsigned h = 2166136261u; int n = 0;
 for (int i = 0; i < 6; i++) { h = (h ^ s[i]) * 16777619u; if ((h >> 13) % 7 == 3) n++; } return n; }
"#;

/// A chain of reads of a table of substitutions.
pub const BOX: &str = r#"#include <stdio.h>
static const unsigned char box[64] = {13, 180, 91, 2, 169, 80, 247, 158, 68, 237, 146, 59, 224, 137, 46, 215, 127, 38, 201, 112, 27, 194, 101, 12, 182, 95, 0, 169, 82, 251, 156, 69, 233, 144, 63, 230, 141, 52, 211, 122, 32, 201, 118, 31, 196, 109, 10, 179, 91, 2, 173, 84, 255, 166, 65, 232, 146, 59, 228, 141, 54, 223, 120, 33};
int main(void) { unsigned char s[4]; if (fread(s, 1, 4, stdin) != 4) return 9;
 int n = 0; unsigned char c = 0; for (int i = 0; i < 4; i++) { c = box[(c ^ s[i]) & 63]; if (c < 64) n++; } return n; }
"#;

/// Conditions on three doubles.
pub const DOUBLES: &str = r#"#include <stdio.h>
int main(void) { double d[3]; if (fread(d, 8, 3, stdin) != 3) return 9; if (d[0] + d[1] > 10) { if (d[1] * d[2] < -4) { if (d[0] - d[2] > 3) return 1; return 2; } return 3; } return 4; }
"#;

/// A cube.
pub const CUBE: &str = r#"int main(void) { double x; klee_make_symbolic(&x, 8, "x"); if (x * x * x == 27.0) return 1; return 0; }
"#;

/// A square below zero.
pub const SQUARE: &str = r#"int main(void) { double x; klee_make_symbolic(&x, 8, "x"); if (x * x < -1.0) return 1; return 0; }
"#;

/// An integer times a double.
pub const MIXED: &str = r#"int main(void) { double x; int n; klee_make_symbolic(&x, 8, "x"); klee_make_symbolic(&n, 4, "n"); if (n > 3 && n < 100 && x * n == 50.0) return 1; return 0; }
"#;

/// Two cubes, of a float and of a double.
pub const TWO_CUBES: &str = r#"int main(void){ float x; int r=0; klee_make_symbolic(&x,4,"x");
 if(x*x*x==27.0f) r|=1;
 double y; klee_make_symbolic(&y,8,"y");
 if(y*y*y==27.0) r|=2;
 return r; }
"#;

/// Linear conditions only; 2 and 9 are unreachable.
pub const SIMPLE_1: &str = r#"int main(void) {
    float c, d;
    klee_make_symbolic(&c, sizeof c, "c");
    klee_make_symbolic(&d, sizeof d, "d");
    if (c + 1.0f == d) {
        if (d - c > 2.0f) {
            if (c > -1.0f && c < 1.0f) return 9;
            return 2;
        }
        return 1;
    }
    return 0;
}
"#;

/// The same; 9 is unreachable.
pub const SIMPLE_2: &str = r#"int main(void){ float c,d; klee_make_symbolic(&c,4,"c"); klee_make_symbolic(&d,4,"d");
 if(c+d==3.0f) if(c-d==1.5f) { if (c*1.5f>4.0f) return 9; return 1; } return 0; }
"#;

/// Linear conditions beside one that is not; 9 is unreachable.
pub const SIMPLE_4: &str = r#"int main(void){ double a,c,d; klee_make_symbolic(&a,8,"a"); klee_make_symbolic(&c,8,"c"); klee_make_symbolic(&d,8,"d");
 if(a*a>c) { if (c+1.0==d) if(d+c<c*0.5) if(c>3.0) return 9; return 1; } return 0; }
"#;

/// One of two cubes.
pub const EITHER: &str = r#"int main(void){ double x,y; klee_make_symbolic(&x,8,"x"); klee_make_symbolic(&y,8,"y"); if((x*x*x==125.0)|(y*y*y==343.0)) return 1; return 0; }
"#;

/// A narrow range of an exponential.
pub const EXPONENTIAL: &str = r#"#include <math.h>
int main(void){ double x; klee_make_symbolic(&x,8,"x"); if(exp(x)>100.0 && exp(x)<100.0001) return 1; return 0; }
"#;

/// A condition on an element of a table, and another one behind it, which no element fulfils: 11 is no square modulo 13.
pub const INDEXED: &str = r#"static const unsigned char t[200] = {3,14,15,92,65,35,89,79,32,38,46,26,43,38,32,79,50,28,84,19,71,69,39,93,75,10,58,20,97,49,44,59,23,7,81,64,6,28,62,8,99,86,28,3,48,25,34,21,17,6};
int main(void) { unsigned i, j; klee_make_symbolic(&i, 4, "i"); klee_make_symbolic(&j, 4, "j"); if (i > 199 || j > 199) return 0;
 if ((t[i] & 31) * 3 > 60 && i * 7 % 200 > j) { if (t[j] * t[j] % 91 == 11) return 1; return 3; } return 2; }
"#;

/// A product of one element with itself.
pub const SQUARES: &str = r#"int main(void) { unsigned i; klee_make_symbolic(&i, 4, "i"); if (i > 3) return 0; if (b[i] * b[i] > 20) return 1; return 8; }
"#;
