//! The libraries that `polypath add` knows: a table.
//!
//! To add one: a row here. `polypath add NAME` then builds it; if it fails, the log says why. Everything that a row leaves
//! out has its default (`recipe`).

/// How to build one library from its Debian source package.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The name for `polypath add`.
    pub name: &'static str,
    /// Debian's source package.
    pub source: &'static str,
    /// Libraries of this table that it is built with.
    pub needs: &'static [&'static str],
    /// Programs that its build calls, by the Debian packages that have them.
    pub tools: &'static [(&'static str, &'static str)],
    /// How it is configured and installed.
    pub style: Style,
    /// Further options for configure or cmake; `$PREFIX` is where the library will live.
    pub options: &'static str,
    /// Headers by which it is recognized; a name that ends in `/` stands for all below.
    pub headers: &'static [&'static str],
    /// The names of its archives for `-l`.
    pub libraries: &'static [&'static str],
    /// Its names for pkg-config.
    pub modules: &'static [&'static str],
}

/// How a package is configured, built and installed into `$STAGE$PREFIX`.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// `configure` is there.
    Configure,
    /// `configure` has to be made by autoreconf.
    Autoreconf,
    /// It is built by CMake.
    Cmake,
    /// Shell commands of its own.
    Commands(&'static str),
}

impl Recipe {
    /// The shell script that builds and installs it. `make` must not find the generators of files that the package has
    /// already: Debian's patches leave some of them older than their sources.
    pub fn script(&self) -> String {
        const MAKE: &str =
            "make -j\"$JOBS\" AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=:";
        let options = self.options;
        let configured = format!(
            "./configure --prefix=\"$PREFIX\" {options}\n{MAKE}\n{MAKE} install DESTDIR=\"$STAGE\"\n"
        );
        match self.style {
            Style::Configure => configured,
            Style::Autoreconf => format!("autoreconf -fi\n{configured}"),
            Style::Cmake => format!(
                "cmake -S . -B polypath-out -DCMAKE_INSTALL_PREFIX=\"$PREFIX\" -DCMAKE_INSTALL_LIBDIR:STRING=lib \
                 -DCMAKE_BUILD_TYPE=RelWithDebInfo {options}\n\
                 cmake --build polypath-out -j \"$JOBS\"\n\
                 DESTDIR=\"$STAGE\" cmake --install polypath-out\n"
            ),
            Style::Commands(commands) => commands.to_owned(),
        }
    }
}

/// The defaults of most rows.
const fn recipe(name: &'static str, source: &'static str) -> Recipe {
    Recipe {
        name,
        source,
        needs: &[],
        tools: &[],
        style: Style::Configure,
        options: "",
        headers: &[],
        libraries: &[],
        modules: &[],
    }
}

const CMAKE: &[(&str, &str)] = &[("cmake", "cmake")];
const AUTOTOOLS: &[(&str, &str)] = &[
    ("autoreconf", "autoconf"),
    ("aclocal", "automake"),
    ("libtoolize", "libtool"),
];

/// All of them, by name.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        style: Style::Commands(
            "make libbz2.a\n\
             install -D -m 644 bzlib.h \"$STAGE$PREFIX/include/bzlib.h\"\n\
             install -D -m 644 libbz2.a \"$STAGE$PREFIX/lib/libbz2.a\"\n\
             mkdir -p \"$STAGE$PREFIX/lib/pkgconfig\"\n\
             printf '%s\\n' 'Name: bzip2' 'Description: compression' 'Version: 1.0.8' \"Cflags: -I$PREFIX/include\" \
             \"Libs: -L$PREFIX/lib -lbz2\" >\"$STAGE$PREFIX/lib/pkgconfig/bzip2.pc\"\n",
        ),
        headers: &["bzlib.h"],
        libraries: &["bz2"],
        modules: &["bzip2"],
        ..recipe("bzip2", "bzip2")
    },
    Recipe {
        needs: &["openssl", "zlib"],
        options: "--with-openssl --with-zlib --without-libpsl --without-libssh2 --without-nghttp2 --without-brotli \
                  --without-zstd --without-librtmp --without-libidn2 --without-gssapi --disable-ldap --disable-manual \
                  --disable-threaded-resolver",
        headers: &["curl/"],
        libraries: &["curl"],
        modules: &["libcurl"],
        ..recipe("curl", "curl")
    },
    Recipe {
        style: Style::Commands(
            "cd expat\n./buildconf.sh\n./configure --prefix=\"$PREFIX\" --without-xmlwf --without-examples --without-tests \
             --without-docbook\n\
             make -j\"$JOBS\"\nmake install DESTDIR=\"$STAGE\"\n",
        ),
        tools: AUTOTOOLS,
        headers: &["expat.h", "expat_external.h"],
        libraries: &["expat"],
        modules: &["expat"],
        ..recipe("expat", "expat")
    },
    Recipe {
        options: "--disable-nls --enable-libgdbm-compat --without-readline",
        headers: &["gdbm.h", "ndbm.h"],
        libraries: &["gdbm", "gdbm_compat"],
        ..recipe("gdbm", "gdbm")
    },
    Recipe {
        // Debian leaves the manual out, in configure.ac only.
        style: Style::Autoreconf,
        tools: AUTOTOOLS,
        options: "--disable-assembly",
        headers: &["gmp.h"],
        libraries: &["gmp"],
        modules: &["gmp"],
        ..recipe("gmp", "gmp")
    },
    Recipe {
        style: Style::Autoreconf,
        tools: AUTOTOOLS,
        headers: &["jansson.h"],
        libraries: &["jansson"],
        modules: &["jansson"],
        ..recipe("jansson", "jansson")
    },
    Recipe {
        style: Style::Cmake,
        tools: CMAKE,
        options: "-DENABLE_SHARED=OFF -DWITH_SIMD=OFF",
        headers: &["jpeglib.h", "turbojpeg.h", "jmorecfg.h", "jerror.h"],
        libraries: &["jpeg", "turbojpeg"],
        modules: &["libjpeg", "libturbojpeg"],
        ..recipe("libjpeg-turbo", "libjpeg-turbo")
    },
    Recipe {
        style: Style::Cmake,
        tools: CMAKE,
        options: "-DBUILD_TESTING=OFF -DDISABLE_WERROR=ON",
        headers: &["json-c/"],
        libraries: &["json-c"],
        modules: &["json-c"],
        ..recipe("json-c", "json-c")
    },
    Recipe {
        needs: &["libmd"],
        headers: &["bsd/"],
        libraries: &["bsd"],
        modules: &["libbsd", "libbsd-overlay"],
        ..recipe("libbsd", "libbsd")
    },
    Recipe {
        needs: &["ncurses"],
        options: "--disable-examples",
        headers: &["histedit.h", "editline/"],
        libraries: &["edit"],
        modules: &["libedit"],
        ..recipe("libedit", "libedit")
    },
    Recipe {
        options: "--disable-openssl --disable-samples --disable-libevent-regress --disable-doxygen-html",
        headers: &["event2/", "event.h", "evhttp.h", "evdns.h"],
        libraries: &["event", "event_core", "event_extra", "event_pthreads"],
        modules: &[
            "libevent",
            "libevent_core",
            "libevent_extra",
            "libevent_pthreads",
        ],
        ..recipe("libevent", "libevent")
    },
    Recipe {
        options: "--disable-docs --disable-multi-os-directory --disable-exec-static-tramp",
        headers: &["ffi.h", "ffitarget.h"],
        libraries: &["ffi"],
        modules: &["libffi"],
        ..recipe("libffi", "libffi")
    },
    Recipe {
        headers: &["sha2.h", "ripemd.h", "rmd160.h"],
        libraries: &["md"],
        modules: &["libmd"],
        ..recipe("libmd", "libmd")
    },
    Recipe {
        style: Style::Autoreconf,
        tools: AUTOTOOLS,
        headers: &["oniguruma.h", "onigposix.h"],
        libraries: &["onig"],
        modules: &["oniguruma"],
        ..recipe("libonig", "libonig")
    },
    Recipe {
        needs: &["zlib"],
        options: "--disable-tools",
        headers: &["png.h", "pngconf.h", "libpng16/"],
        libraries: &["png", "png16"],
        modules: &["libpng", "libpng16"],
        ..recipe("libpng", "libpng1.6")
    },
    Recipe {
        needs: &["xz", "zlib"],
        options: "--without-python --with-lzma --with-zlib --without-icu",
        headers: &["libxml/", "libxml2/"],
        libraries: &["xml2"],
        modules: &["libxml-2.0"],
        ..recipe("libxml2", "libxml2")
    },
    Recipe {
        style: Style::Autoreconf,
        tools: AUTOTOOLS,
        headers: &["yaml.h"],
        libraries: &["yaml"],
        modules: &["yaml-0.1"],
        ..recipe("libyaml", "libyaml")
    },
    Recipe {
        style: Style::Commands(
            "make -C lib -j\"$JOBS\" liblz4.a BUILD_SHARED=no\n\
             make -C lib install BUILD_SHARED=no PREFIX=\"$PREFIX\" DESTDIR=\"$STAGE\"\n",
        ),
        headers: &["lz4.h", "lz4hc.h", "lz4frame.h"],
        libraries: &["lz4"],
        modules: &["liblz4"],
        ..recipe("lz4", "lz4")
    },
    Recipe {
        options: "--disable-asm",
        headers: &["lzo/"],
        libraries: &["lzo2"],
        modules: &["lzo2"],
        ..recipe("lzo", "lzo2")
    },
    Recipe {
        // Some terminals are built in: the explored program has a file system of its own.
        tools: &[("tic", "ncurses-bin")],
        style: Style::Commands(
            "./configure --prefix=\"$PREFIX\" --enable-widec --enable-overwrite --without-shared --without-debug \
             --without-ada --without-cxx --without-cxx-binding --without-manpages --without-tests --without-progs \
             --disable-db-install --enable-pc-files --with-pkg-config-libdir=\"$PREFIX/lib/pkgconfig\" \
             --with-default-terminfo-dir=/usr/share/terminfo --with-fallbacks=linux,vt100,xterm\n\
             make -j\"$JOBS\"\n\
             make install DESTDIR=\"$STAGE\"\n\
             cd \"$STAGE$PREFIX/lib\"\n\
             for name in ncurses curses tinfo tinfow termcap; do ln -s libncursesw.a lib$name.a; done\n\
             for name in form menu panel; do ln -s lib${name}w.a lib$name.a; done\n\
             for name in ncurses tinfo tinfow; do ln -s ncursesw.pc pkgconfig/$name.pc; done\n",
        ),
        headers: &[
            "curses.h",
            "ncurses.h",
            "term.h",
            "termcap.h",
            "ncursesw/",
            "panel.h",
            "menu.h",
            "form.h",
        ],
        libraries: &[
            "ncursesw", "ncurses", "curses", "tinfo", "tinfow", "termcap", "panel", "panelw",
            "menu", "menuw", "form", "formw",
        ],
        modules: &[
            "ncurses", "ncursesw", "tinfo", "panel", "panelw", "menu", "form",
        ],
        ..recipe("ncurses", "ncurses")
    },
    Recipe {
        // No assembly, which cannot be looked into, and nothing that is loaded at run time.
        tools: &[("perl", "perl")],
        needs: &[],
        style: Style::Commands(
            "perl ./Configure linux-x86_64 no-asm no-shared no-dso no-module no-async no-tests no-threads \
             --prefix=\"$PREFIX\" --libdir=lib --openssldir=/etc/ssl\n\
             make -j\"$JOBS\" build_libs\n\
             make install_dev DESTDIR=\"$STAGE\"\n",
        ),
        headers: &["openssl/"],
        libraries: &["ssl", "crypto"],
        modules: &["openssl", "libssl", "libcrypto"],
        ..recipe("openssl", "openssl")
    },
    Recipe {
        options: "--enable-pcre2-16 --enable-pcre2-32 --disable-pcre2grep-libz --disable-pcre2grep-libbz2",
        headers: &["pcre2.h", "pcre2posix.h"],
        libraries: &["pcre2-8", "pcre2-16", "pcre2-32", "pcre2-posix"],
        modules: &["libpcre2-8", "libpcre2-16", "libpcre2-32", "libpcre2-posix"],
        ..recipe("pcre2", "pcre2")
    },
    Recipe {
        options: "--disable-nls",
        headers: &["popt.h"],
        libraries: &["popt"],
        modules: &["popt"],
        ..recipe("popt", "popt")
    },
    Recipe {
        needs: &["ncurses"],
        options: "--with-curses --disable-install-examples",
        headers: &["readline/"],
        libraries: &["readline", "history"],
        modules: &["readline", "history"],
        ..recipe("readline", "readline")
    },
    Recipe {
        tools: &[("tclsh", "tcl")],
        options: "--disable-tcl --disable-readline --disable-load-extension",
        headers: &["sqlite3.h", "sqlite3ext.h"],
        libraries: &["sqlite3"],
        modules: &["sqlite3"],
        ..recipe("sqlite3", "sqlite3")
    },
    Recipe {
        options: "--disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-scripts --disable-doc \
                  --disable-nls --disable-assembler",
        headers: &["lzma.h", "lzma/"],
        libraries: &["lzma"],
        modules: &["liblzma"],
        ..recipe("xz", "xz-utils")
    },
    Recipe {
        options: "--static",
        headers: &["zlib.h", "zconf.h"],
        libraries: &["z"],
        modules: &["zlib"],
        ..recipe("zlib", "zlib")
    },
    Recipe {
        style: Style::Commands(
            "make -C lib -j\"$JOBS\" libzstd.a ZSTD_NO_ASM=1\n\
             make -C lib install-static install-includes install-pc ZSTD_NO_ASM=1 PREFIX=\"$PREFIX\" DESTDIR=\"$STAGE\"\n",
        ),
        headers: &["zstd.h", "zdict.h", "zstd_errors.h"],
        libraries: &["zstd"],
        modules: &["libzstd"],
        ..recipe("zstd", "libzstd")
    },
];

/// The row of this name.
pub fn by_name(name: &str) -> Option<&'static Recipe> {
    RECIPES.iter().find(|r| r.name == name)
}

/// A library in the form in which a user or a build asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// A header of an `#include`.
    Header(&'a str),
    /// A library of `-l`.
    Library(&'a str),
    /// A module of pkg-config.
    Module(&'a str),
}

/// The library that has it.
pub fn provider(wanted: Wanted) -> Option<&'static Recipe> {
    RECIPES.iter().find(|r| match wanted {
        Wanted::Header(name) => r.headers.iter().any(|h| {
            if h.ends_with('/') {
                name.starts_with(h)
            } else {
                name == *h
            }
        }),
        Wanted::Library(name) => r.libraries.contains(&name),
        Wanted::Module(name) => r.modules.contains(&name),
    })
}

/// The library that `name` means: its name here or in Debian, or that of its header or archive.
pub fn meant_by(name: &str) -> Option<&'static Recipe> {
    let plain = name.strip_suffix("-dev").unwrap_or(name);
    let bare = plain.strip_prefix("lib").unwrap_or(plain);
    by_name(plain)
        .or_else(|| RECIPES.iter().find(|r| r.source == plain))
        .or_else(|| provider(Wanted::Header(name)))
        .or_else(|| provider(Wanted::Library(name.strip_prefix("-l").unwrap_or(bare))))
        .or_else(|| provider(Wanted::Module(plain)))
        .or_else(|| by_name(bare))
}

/// The library and all that it needs, these first, each once.
pub fn with_needs(recipe: &'static Recipe) -> Vec<&'static Recipe> {
    let mut out: Vec<&'static Recipe> = Vec::new();
    for needed in recipe.needs.iter().filter_map(|name| by_name(name)) {
        for recipe in with_needs(needed) {
            if !out.iter().any(|r| r.name == recipe.name) {
                out.push(recipe);
            }
        }
    }
    out.push(recipe);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_consistent() {
        let names: Vec<&str> = RECIPES.iter().map(|r| r.name).collect();
        for recipe in RECIPES {
            assert_eq!(names.iter().filter(|n| **n == recipe.name).count(), 1);
            assert!(!recipe.headers.is_empty() && !recipe.libraries.is_empty());
            for name in recipe.needs {
                assert!(by_name(name).is_some(), "{}: {name}", recipe.name);
            }
            // Nobody else has what this one is recognized by.
            for library in recipe.libraries {
                let found = provider(Wanted::Library(library)).map(|r| r.name);
                assert_eq!(found, Some(recipe.name), "-l{library}");
            }
            for header in recipe.headers {
                let found = provider(Wanted::Header(header)).map(|r| r.name);
                assert_eq!(found, Some(recipe.name), "{header}");
            }
        }
    }

    #[test]
    fn libraries_are_found_by_many_names() {
        for (name, wanted) in [
            ("zlib", "zlib"),
            ("zlib.h", "zlib"),
            ("-lz", "zlib"),
            ("libz", "zlib"),
            ("libssl-dev", "openssl"),
            ("liblzma-dev", "xz"),
            ("libpng", "libpng"),
            ("png", "libpng"),
            ("libxml2-dev", "libxml2"),
            ("libncurses-dev", "ncurses"),
            ("xz-utils", "xz"),
            ("libyaml", "libyaml"),
            ("openssl/ssl.h", "openssl"),
        ] {
            assert_eq!(meant_by(name).map(|r| r.name), Some(wanted), "{name}");
        }
        assert!(meant_by("frobnicate").is_none());
    }

    #[test]
    fn needs_come_first_and_once() {
        let curl = by_name("curl").expect("in the table");
        let names: Vec<&str> = with_needs(curl).iter().map(|r| r.name).collect();
        assert_eq!(names, ["openssl", "zlib", "curl"]);
    }
}
