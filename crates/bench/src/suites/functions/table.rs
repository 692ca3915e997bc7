//! The libraries of suite `functions`: one row each.

/// A C library as a Debian source package.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// Debian's source package.
    pub name: &'static str,
    /// Shell commands that run under `polypath build`, in the source's directory.
    pub build: &'static str,
    /// The archive that they make.
    pub archive: &'static str,
    /// The header that declares its functions, where its name does not tell.
    pub header: Option<&'static str>,
}

const fn library(name: &'static str, build: &'static str, archive: &'static str) -> Library {
    Library {
        name,
        build,
        archive,
        header: None,
    }
}

/// All of them: five that were looked at when testing of functions was judged first, and five more.
pub const LIBRARIES: &[Library] = &[
    // (Debian's patches leave some generated files older than their sources; the generators are not needed.)
    library(
        "libcsv",
        "./configure --disable-dependency-tracking --disable-shared; \
         make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=: libcsv.la",
        ".libs/libcsv.a",
    ),
    library("http-parser", "make package", "libhttp_parser.a"),
    library(
        "libconfig",
        "./configure --disable-dependency-tracking --disable-cxx --disable-shared; \
         make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=: -C lib",
        "lib/.libs/libconfig.a",
    ),
    library(
        "mxml",
        "./configure --disable-shared; make libmxml.a",
        "libmxml.a",
    ),
    library(
        "libtasn1-6",
        "./configure --disable-dependency-tracking --disable-shared --disable-doc; \
         make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=: -C lib",
        "lib/.libs/libtasn1.a",
    ),
    library("cjson", "make static", "libcjson.a"),
    Library {
        header: Some("yaml.h"),
        ..library(
            "libyaml",
            "cmake -S . -B build -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF; make -C build",
            "build/libyaml.a",
        )
    },
    library("utf8proc", "make libutf8proc.a", "libutf8proc.a"),
    library(
        "jansson",
        "cmake -S . -B build -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON; \
         make -C build",
        "build/lib/libjansson.a",
    ),
    library(
        "msgpack-c",
        "cmake -S . -B build -DMSGPACK_ENABLE_SHARED=OFF -DMSGPACK_ENABLE_CXX=OFF -DMSGPACK_BUILD_EXAMPLES=OFF \
         -DMSGPACK_BUILD_TESTS=OFF; make -C build",
        "build/libmsgpackc.a",
    ),
];
