//! The packages of suite `packages`: one row each.

use std::path::Path;

/// How a Debian source package is built and its program explored.
#[derive(Clone, Copy, Debug)]
pub struct Package {
    /// Debian's source package.
    pub name: &'static str,
    /// Libraries that are added first; the build sees no others.
    pub libraries: &'static [&'static str],
    /// Shell commands that run under `polypath build`, in the source's directory.
    pub configure: &'static str,
    pub make: &'static str,
    /// The program, and the options of its run; `{tree}` stands for the source's directory.
    pub program: &'static str,
    pub options: &'static [&'static str],
}

impl Package {
    /// All that decides what the build makes: not the options of the run.
    pub fn build_key(&self, sysroot: &Path) -> String {
        let (libraries, program) = (self.libraries, self.program);
        let commands = (self.configure, self.make);
        format!("{libraries:?} {commands:?} {program} {}", sysroot.display())
    }
}

const CONFIGURE: &str = "./configure --disable-dependency-tracking --disable-nls";
/// Debian's patches leave some generated files older than their sources; the generators are not needed.
const MAKE: &str = "make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=:";

const fn package(
    name: &'static str,
    program: &'static str,
    options: &'static [&'static str],
) -> Package {
    Package {
        name,
        libraries: &[],
        configure: CONFIGURE,
        make: MAKE,
        program,
        options,
    }
}

/// All of them, the small ones first.
pub const PACKAGES: &[Package] = &[
    package("bc", "bc/bc", &["--sym-stdin", "10"]),
    package("ed", "ed", &["--sym-stdin", "10", "--", "-s"]),
    Package {
        configure: "true",
        make: "make bzip2",
        ..package("bzip2", "bzip2", &["--sym-stdin", "24", "--", "-dc"])
    },
    package("gzip", "gzip", &["--sym-stdin", "24", "--", "-dc"]),
    package("m4", "src/m4", &["--sym-stdin", "12"]),
    package(
        "mawk",
        "mawk",
        &["--sym-args", "1", "1", "8", "--sym-stdin", "4"],
    ),
    package(
        "sed",
        "sed/sed",
        &["--sym-args", "1", "1", "6", "--sym-stdin", "6"],
    ),
    package(
        "patch",
        "src/patch",
        &["--sym-stdin", "24", "--", "-o", "-"],
    ),
    package(
        "diffutils",
        "src/diff",
        &[
            "--sym-args",
            "0",
            "1",
            "3",
            "--sym-files",
            "2",
            "6",
            "--",
            "A",
            "B",
        ],
    ),
    package("findutils", "find/find", &["--sym-args", "0", "2", "6"]),
    package("cpio", "src/cpio", &["--sym-stdin", "30", "--", "-t"]),
    package("tar", "src/tar", &["--sym-stdin", "512", "--", "-tf", "-"]),
    Package {
        configure: "./configure --disable-dependency-tracking --disable-nls --disable-threads",
        ..package("xz-utils", "src/xz/xz", &["--sym-stdin", "32", "--", "-dc"])
    },
    package(
        "file",
        "src/file",
        &["--sym-files", "1", "16", "--", "-m", "/dev/null", "A"],
    ),
    Package {
        configure: "autoreconf -fi; ./configure --disable-dependency-tracking",
        ..package("dash", "src/dash", &["--sym-stdin", "10"])
    },
    Package {
        configure: "./configure --disable-dependency-tracking --disable-nls --disable-perl-regexp --disable-threads",
        ..package(
            "grep",
            "src/grep",
            &["--sym-args", "1", "1", "6", "--sym-stdin", "6"],
        )
    },
    Package {
        libraries: &["ncurses"],
        ..package(
            "less",
            "less",
            &[
                "--sym-args",
                "0",
                "1",
                "4",
                "--sym-files",
                "1",
                "8",
                "--",
                "A",
            ],
        )
    },
    Package {
        libraries: &["ncurses"],
        ..package("nano", "src/nano", &["--sym-args", "0", "2", "4"])
    },
    Package {
        libraries: &["libonig"],
        configure: "autoreconf -fi; ./configure --disable-dependency-tracking --disable-docs --with-oniguruma",
        ..package("jq", "jq", &["--sym-stdin", "10", "--", "."])
    },
    Package {
        libraries: &["zlib"],
        configure: "./configure --disable-tcl --disable-readline",
        make: "make sqlite3",
        ..package("sqlite3", "sqlite3", &["--sym-stdin", "10"])
    },
    Package {
        libraries: &["xz", "zlib"],
        configure: "./configure --disable-dependency-tracking --without-python",
        ..package(
            "libxml2",
            "xmllint",
            &["--sym-stdin", "12", "--", "--noout", "-"],
        )
    },
    Package {
        configure: "make defconfig",
        make: "make busybox_unstripped",
        ..package(
            "busybox",
            "busybox_unstripped",
            &["--sym-stdin", "10", "--", "sh"],
        )
    },
    Package {
        libraries: &["ncurses"],
        configure: "./configure --with-features=normal --disable-gui --without-x --with-tlib=tinfo --disable-nls",
        make: "make -C src vim",
        ..package(
            "vim",
            "src/vim",
            &["--sym-stdin", "10", "--", "-u", "NONE", "-es", "-N"],
        )
    },
    Package {
        libraries: &["zlib"],
        configure: "perl ./Configure linux-x86_64 no-asm no-shared no-dso no-module no-async no-tests no-threads",
        make: "make build_programs",
        ..package(
            "openssl",
            "apps/openssl",
            &["--sym-stdin", "16", "--", "asn1parse", "-inform", "DER"],
        )
    },
    Package {
        libraries: &["openssl", "zlib"],
        configure: "autoreconf -fi; ./configure --without-pam --without-selinux --without-libedit --disable-strip",
        make: "make ssh-keygen",
        ..package(
            "openssh",
            "ssh-keygen",
            &["--sym-files", "1", "24", "--", "-l", "-f", "A"],
        )
    },
    Package {
        libraries: &["pcre2", "zlib"],
        configure: "./configure --with-cc-opt=-g",
        make: "make",
        ..package(
            "nginx",
            "objs/nginx",
            &[
                "--sym-files",
                "1",
                "16",
                "--",
                "-t",
                "-e",
                "stderr",
                "-p",
                "./",
                "-c",
                "A",
            ],
        )
    },
    Package {
        libraries: &["expat", "libffi", "zlib"],
        configure: "./configure --disable-test-modules --without-ensurepip --disable-ipv6 --build=x86_64-linux-gnu",
        // Its start reads modules of its library; the files of a test's world are few.
        make: "make python\n\
               mkdir -p home/lib/python3.11/encodings\n\
               cp Lib/os.py home/lib/python3.11/\n\
               for name in __init__ aliases ascii latin_1 utf_8; do\n\
               cp Lib/encodings/$name.py home/lib/python3.11/encodings/\n\
               done",
        ..package(
            "python3.11",
            "python",
            &[
                "--fs",
                "{tree}/home",
                "--env",
                "PYTHONHOME={tree}/home",
                "--sym-stdin",
                "8",
                "--",
                "-S",
                "-",
            ],
        )
    },
];
