//! Each way to allocate with each way to free, against AddressSanitizer.

use std::collections::BTreeSet;
use std::process::Command;
use testkit::engine;

/// Ways to get an object of 64 bytes.
const ALLOCATIONS: [&str; 13] = [
    "malloc(64)",
    "calloc(1, 64)",
    "realloc(0, 64)",
    "strdup(text)",
    "aligned_alloc(64, 64)",
    "new Plain",
    "new Plain[1]",
    "new (tag) Plain",
    "new (tag) Plain[1]",
    "::operator new(64)",
    "::operator new[](64)",
    "new Wide",
    "new Wide[1]",
];

/// Ways to give one back.
const FREES: [&str; 9] = [
    "free(p)",
    "kept = realloc(p, 64)",
    "delete (Plain *)p",
    "delete[] (Plain *)p",
    "delete (Small *)p",
    "delete (Wide *)p",
    "delete[] (Wide *)p",
    "::operator delete(p)",
    "::operator delete[](p)",
];

const HEAD: &str = "typedef unsigned long size_t;
extern \"C\" {
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void *aligned_alloc(size_t, size_t);
void free(void *); char *strdup(const char *);
}
namespace std { struct nothrow_t {}; }
void *operator new(size_t, const std::nothrow_t &) noexcept;
void *operator new[](size_t, const std::nothrow_t &) noexcept;
static std::nothrow_t tag;
struct Small { int v; };
struct Plain { char v[64]; };
struct alignas(64) Wide { char v[64]; };
static const char text[] = \"This string has sixty-three letters; the zero behind them is on\";
static_assert(sizeof text == 64, \"\");
void *kept;
";

#[test]
fn each_allocation_with_each_way_to_free() {
    if !testkit::need("sanitizers") {
        return;
    }
    let Some(dir) = engine!("families") else {
        return;
    };
    let mut program = HEAD.to_string();
    program += "static void one_case(unsigned n) { switch (n) {\n";
    // The line of each case, from 1 on.
    let first = 1 + program.lines().count();
    let pairs: Vec<(&str, &str)> = ALLOCATIONS
        .iter()
        .flat_map(|a| FREES.map(|f| (*a, f)))
        .collect();
    for (n, (allocation, free)) in pairs.iter().enumerate() {
        program += &format!("case {n}: {{ void *p = {allocation}; {free}; break; }}\n");
    }
    program += "} }\n";
    let count = pairs.len();
    let native = format!(
        "{program}
extern \"C\" {{ int fork(void), waitpid(int, int *, int), close(int), printf(const char *, ...); void _exit(int); }}
int main() {{ for (unsigned n = 0; n < {count}; n++) {{ int status, child = fork();
    if (!child) {{ close(2); one_case(n); _exit(0); }}
    waitpid(child, &status, 0); printf(\"%d\\n\", status != 0); }} }}\n"
    );
    let symbolic = format!(
        "{program}
extern \"C\" void klee_make_symbolic(void *, size_t, const char *);
int main() {{ unsigned char n; klee_make_symbolic(&n, 1, \"n\"); one_case(n); }}\n"
    );
    dir.write("native.cpp", native);
    dir.write("cases.cpp", symbolic);
    let built = Command::new("clang++-19")
        .args([
            "-w",
            "-O0",
            "-fsanitize=address",
            "native.cpp",
            "-o",
            "native",
        ])
        .current_dir(dir.join("."))
        .output()
        .expect("clang starts");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    let ran = Command::new(dir.join("native"))
        .output()
        .expect("it starts");
    let fails: Vec<bool> = String::from_utf8_lossy(&ran.stdout)
        .lines()
        .map(|line| line == "1")
        .collect();
    assert_eq!(fails.len(), count);
    assert!(fails.iter().any(|f| *f) && fails.iter().any(|f| !*f));
    for (mode, level) in [("fork", "--cc-flag=-O0"), ("concolic", "--cc-flag=-O2")] {
        let out = format!("out-{mode}");
        let options = [
            "run",
            "cases.cpp",
            "--quiet",
            "--mode",
            mode,
            level,
            "--cc-flag=-w",
        ];
        let bounds = ["--time", "300", "--out", out.as_str()];
        let ran = dir.polypath(options.into_iter().chain(bounds));
        let (run, stats) = testcase::Run::read(&dir.join(&out))
            .and_then(testcase::Run::whole)
            .unwrap_or_else(|e| panic!("{e}\n{}", ran.stderr));
        assert_eq!(stats.halted, None);
        let found: BTreeSet<usize> = run
            .errors
            .iter()
            .inspect(|e| assert_eq!(e.kind.id(), "mismatched_free", "{e}"))
            .map(|e| e.line as usize - first)
            .collect();
        let differ: Vec<String> = (0..count)
            .filter(|n| fails[*n] != found.contains(n))
            .map(|n| {
                let (allocation, free) = pairs[n];
                format!("{allocation}; {free}: fails natively: {}", fails[n])
            })
            .collect();
        assert!(differ.is_empty(), "{mode}:\n{}", differ.join("\n"));
    }
}
