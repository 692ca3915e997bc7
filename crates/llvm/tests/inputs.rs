//! Bad and unusual input: each is refused with one clear line, or lowered.
//!
//! The files are made by clang-19, which the whole project needs anyhow.

use polypath_llvm::{LowerOptions, lower_program};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("polypath-lower-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Compiles C source to `name`; `flags` choose what comes out.
    fn compile(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let c = self.file(&format!("{name}.c"), source.as_bytes());
        let output = self.0.join(name);
        let status = Command::new("clang-19")
            .args(["-w", "-c"])
            .args(flags)
            .arg(c)
            .arg("-o")
            .arg(&output)
            .status()
            .unwrap();
        assert!(status.success());
        output
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const RAW: &[&str] = &["-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-g"];

fn lower(files: &[&Path]) -> Result<ir::Verified, String> {
    lower_program(&LowerOptions {
        inputs: files.iter().map(|f| f.to_path_buf()).collect(),
        ..LowerOptions::default()
    })
}

fn refused(files: &[&Path]) -> String {
    lower(files).expect_err("the input is refused")
}

#[test]
fn bad_files_are_named_with_their_fault() {
    let folder = Folder::new("bad");
    let good = folder.compile("good.bc", "int main(void) { return 0; }", RAW);
    let bytes = std::fs::read(&good).unwrap();
    for cut in [2, 6, 100, bytes.len() / 2, bytes.len() - 4] {
        let path = folder.file("cut.bc", &bytes[..cut]);
        let why = refused(&[&path]);
        assert!(
            why.contains("cut.bc: ") && (why.contains("truncated") || why.contains("not")),
            "{cut}: {why}"
        );
    }
    let cases: [(&str, &[u8], &str); 3] = [
        ("empty.bc", b"", "the file is empty"),
        (
            "random.bin",
            b"\x00\x01\x02garbage\xff",
            "neither LLVM bitcode nor an ELF file",
        ),
        ("library.a", b"!<arch>\n", "an archive is not a program"),
    ];
    for (name, bytes, reason) in cases {
        let why = refused(&[&folder.file(name, bytes)]);
        assert!(why.contains(name) && why.contains(reason), "{why}");
    }
    let why = refused(&[Path::new("/nonexistent/x.bc")]);
    assert!(why.contains("/nonexistent/x.bc: "), "{why}");
    let object = folder.compile("plain.o", "int main(void) { return 0; }", &[]);
    assert!(refused(&[&object]).contains("no bitcode in this object"));
    let text = folder.file("text.ll", b"this is no IR");
    assert!(refused(&[&text]).contains("text.ll: not readable as LLVM IR"));
}

#[test]
fn symbols_that_are_missing_or_doubled() {
    let folder = Folder::new("symbols");
    let main = folder.compile(
        "main.bc",
        "int f(int); extern int there; int main(void) { return f(there); }",
        RAW,
    );
    let f = folder.compile("f.bc", "int there; int f(int x) { return x; }", RAW);
    let g = folder.compile("g.bc", "int f(int x) { return x + 1; }", RAW);
    assert!(refused(&[&f]).contains("f.bc: the program has no function main"));
    assert_eq!(refused(&[&main]), "undefined symbol: there");
    let why = refused(&[&main, &f, &g]);
    assert!(
        why.contains("g.bc: duplicate symbol f, also defined in") && why.contains("f.bc"),
        "{why}"
    );
    let module = lower(&[&main, &f]).unwrap();
    assert!(module.externs.is_empty() && module.entry.main.is_some());
}

#[test]
fn concatenated_modules_and_objects_with_bitcode() {
    let folder = Folder::new("concatenated");
    let main = folder.compile(
        "main.bc",
        "int f(int); int main(void) { return f(3); }",
        RAW,
    );
    let f = folder.compile("f.bc", "int f(int x) { return x; }", RAW);
    let mut bytes = std::fs::read(&main).unwrap();
    bytes.extend([0; 3]);
    bytes.extend(std::fs::read(&f).unwrap());
    let both = folder.file("both.bc", &bytes);
    assert_eq!(lower(&[&both]).unwrap().functions.len(), 2);
    bytes.extend(b"tail");
    let foreign = folder.file("foreign.bc", &bytes);
    assert!(refused(&[&foreign]).contains("foreign bytes behind the bitcode"));
    let object = folder.compile(
        "o.o",
        "int main(void) { return 0; }",
        &["-Xclang", "-fembed-bitcode=bitcode"],
    );
    assert!(lower(&[&object]).is_ok());
}

#[test]
fn the_producer_is_read_and_newer_ones_are_refused() {
    let folder = Folder::new("producer");
    let good = folder.compile("good.bc", "int main(void) { return 0; }", RAW);
    let bytes = std::fs::read(good).unwrap();
    let producer = polypath_llvm::producer::producer(&bytes).unwrap();
    assert!(producer.starts_with("LLVM19"), "{producer}");
    // `9` of the version becomes `9` + 1 step in char6, at whatever bit it lies: search for it.
    let newer = (32..400).find_map(|bit: usize| {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let name = polypath_llvm::producer::producer(&changed)?;
        (polypath_llvm::producer::major_version(&name)? > 19).then_some(changed)
    });
    let path = folder.file("newer.bc", &newer.expect("one bit makes it newer"));
    let why = refused(&[&path]);
    assert!(
        why.contains("newer.bc: bitcode of LLVM") && why.contains("cannot be read"),
        "{why}"
    );
}

#[test]
fn the_processor_is_plain_and_lowering_repeats_itself() {
    let folder = Folder::new("cpuid");
    // The loop has phis on both sides of a branch: their copies once lay in the order of addresses.
    let source = r#"
        int main(void) {
            unsigned a = 7, b = 0, c = 0, d = 0;
            __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
            int x = 1, y = 2;
            for (int i = 0; i < 9; i++) { if (i == x) { x += y; y++; } else { y -= x; x--; } }
            return b & 1 << 5 ? x : y;
        }"#;
    let input = folder.compile("cpuid.bc", source, RAW);
    let text = folder.0.join("module.ll");
    let options = LowerOptions {
        inputs: vec![input],
        emit_llvm: Some(text.clone()),
        ..LowerOptions::default()
    };
    let first = ir::print::print(&lower_program(&options).unwrap());
    let module = std::fs::read_to_string(text).unwrap();
    assert!(!module.contains("cpuid\""), "{module}");
    assert!(!first.contains("Unsupported"), "{first}");
    for _ in 0..4 {
        let again = ir::print::print(&lower_program(&options).unwrap());
        assert_eq!(first, again);
    }
}

/// Bitcode can carry the names of our own marks. They would take checks away from its accesses, and say what it takes of the stack.
#[test]
fn marks_that_the_input_brings_along_mean_nothing() {
    let folder = Folder::new("marks");
    let source = "struct s { int a[4]; } g; int main(int n, char **v) { struct s l = g; return l.a[n & 3] + v[0][1]; }";
    let plain = folder.compile("plain.ll", source, &[RAW, &["-S"]].concat());
    let text = std::fs::read_to_string(&plain).unwrap();
    let mut marked = String::new();
    for line in text.lines() {
        let mark = |kinds: &[&str]| {
            kinds
                .iter()
                .map(|k| format!(", !{k} !{{}}"))
                .collect::<String>()
        };
        let is_access = line.contains(" = load ") || line.trim_start().starts_with("store ");
        if line.starts_with("attributes #") {
            let marks = r#" "polypath-own" "polypath-optimized" "polypath-promoted"="18446744073709551615" }"#;
            marked += &line.replace(" }", marks);
        } else if is_access {
            marked += line;
            marked += &mark(&["polypath.raw", "polypath.pinned"]);
        } else if line.starts_with("@g = ") {
            marked += line;
            marked += &mark(&["polypath.own"]);
        } else {
            marked += line;
        }
        marked.push('\n');
    }
    assert!(marked.matches("polypath").count() > 8, "{marked}");
    let marked = folder.file("marked.ll", marked.as_bytes());
    for uninit in [false, true] {
        let checks = if uninit { "memory,uninit" } else { "memory" };
        let bytes = |file: &Path| {
            let module = lower_program(&LowerOptions {
                inputs: vec![file.to_path_buf()],
                checks: vocab::Checks::parse(checks).unwrap(),
                ..LowerOptions::default()
            });
            ir::file::to_bytes(&module.unwrap())
        };
        assert!(bytes(&marked) == bytes(&plain), "{checks}");
    }
}

/// What reads the messages may be slower than this process ends: a full pipe that is emptied when it has been waited for.
#[test]
fn the_reason_of_a_refusal_arrives_however_late_it_is_read() {
    use std::io::{Read, Write};
    const CAPACITY: usize = 1 << 16;
    let heard = || {
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(&[b'.'; CAPACITY]).unwrap();
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_polypath-lower"))
            .args(["--output", "/dev/null", "/no/such/file.bc"])
            .stderr(writer)
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(150));
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(3));
        text.contains("/no/such/file.bc")
    };
    // It waits for half a second, in which this thread may get no turn.
    assert!((0..10).any(|_| heard()));
}
