//! The functions of a library that its users call: those that a header of it declares.

use crate::exit::UsageError;
use harness::offered::{OfferedFunction, OfferedFunctions};
use std::path::{Path, PathBuf};
use toolchain::headers::{LibraryHeaders, UserHeader};

/// What a library offers to its users.
#[derive(Debug, Default)]
pub struct PublicFunctions {
    /// In the order of the library.
    pub functions: Vec<OfferedFunction>,
    /// The header that declares them, if it is the library's own or was named; else any header that the sources include, or, without
    /// sources, nothing.
    pub header: Option<String>,
    /// Functions with external linkage that no such header declares.
    pub undeclared: Vec<String>,
    /// No header was found: every function with external linkage counts that does not begin with an underscore.
    pub without_headers: bool,
}

/// The public functions of a library: a source (compiled with these flags), bitcode, an object, an archive, a binary. `headers`
/// names the files that declare them; without a name it is the library's own header (`csv.h` of `libcsv.a`), and if there is none
/// all that its sources include.
///
/// # Errors
/// The file cannot be read, or has no bitcode; none of its sources includes a header of that name.
pub fn public_functions(
    library: &Path,
    cc_flags: &[String],
    headers: &[String],
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<PublicFunctions> {
    let (offered, found) = seen(library, cc_flags, progress)?;
    if headers.is_empty() {
        let own = found.own(library);
        let found = match &own {
            Some(name) => found.named(std::slice::from_ref(name)),
            None => found,
        };
        return Ok(chosen(offered, &found, own));
    }
    let found = found.named(headers);
    if found.is_empty() {
        let why = format!(
            "{}: none of its sources includes {} (sources are looked for where they were compiled)",
            library.display(),
            headers.join(" or ")
        );
        return Err(UsageError(why).into());
    }
    Ok(chosen(offered, &found, Some(headers.join(", "))))
}

/// The header that users of a library include to call this function, if its sources include one that declares it.
///
/// # Errors
/// As [`public_functions`].
pub fn user_header(
    library: &Path,
    cc_flags: &[String],
    function: &str,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Option<UserHeader>> {
    let (_, headers) = seen(library, cc_flags, progress)?;
    Ok(headers.of_user(library, function))
}

/// The functions of a library, and the headers that its sources include.
fn seen(
    library: &Path,
    cc_flags: &[String],
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<(OfferedFunctions, LibraryHeaders)> {
    let is_source = toolchain::compile::kind(library).is_some();
    let input = if is_source {
        toolchain::compile::source(library, cc_flags, progress)?
    } else {
        library.to_owned()
    };
    let offered = offered(library, input)?;
    let headers = LibraryHeaders::of(&offered.sources, &offered.files);
    Ok((offered, headers))
}

fn chosen(
    offered: OfferedFunctions,
    headers: &LibraryHeaders,
    name: Option<String>,
) -> PublicFunctions {
    let mut public = PublicFunctions {
        header: name,
        without_headers: headers.is_empty(),
        ..PublicFunctions::default()
    };
    for function in offered.functions {
        let is_public = if public.without_headers {
            !function.name.starts_with('_')
        } else {
            headers.declare(&function.name)
        };
        if is_public {
            public.functions.push(function);
        } else {
            public.undeclared.push(function.name);
        }
    }
    public
}

/// All functions with external linkage.
fn offered(library: &Path, input: PathBuf) -> anyhow::Result<OfferedFunctions> {
    let scratch = toolchain::cache::root()?.join("run");
    std::fs::create_dir_all(&scratch)?;
    let scratch = scratch.join(format!("functions-{}.json", std::process::id()));
    llvm_client::library::functions(&[input], &scratch).map_err(|e| match e {
        llvm_client::LowerError::Refused(text) => {
            UsageError(format!("{}: {text}", library.display())).into()
        }
        other => other.into(),
    })
}
