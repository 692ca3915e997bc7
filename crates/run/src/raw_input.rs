//! A file's bytes as an input of a program in IR: as those of its first input of any kind. Files come before standard input, that before
//! arguments; with `--entry` it is the function's first parameter of bytes.

use exec::ObjectBytes;
use harness::RawInput;
use linux::{ObjectSpec, Start};

/// An input that a file's bytes make.
pub struct FittedInput {
    /// Its bytes by object.
    pub parts: Vec<ObjectBytes>,
    /// The file is longer than the input, and was cut.
    pub is_cut: bool,
    /// The file is shorter than the input, and zeros were added.
    pub is_filled: bool,
}

/// The content of a whole object.
pub fn part(object: String, offset: usize, bytes: Vec<u8>) -> ObjectBytes {
    ObjectBytes {
        object,
        offset,
        bytes,
    }
}

/// The object of this name in any of the starts.
pub fn spec<'a>(starts: &'a [Start], name: &str) -> Option<&'a ObjectSpec> {
    let objects = || starts.iter().flat_map(|s| &s.objects);
    objects().find(|o| o.name == name)
}

/// The input of a program with these starts that has these bytes; `None` if it takes none. The rest of a longer object is zero; it does not exist if
/// the object's size is open.
pub fn fitted(starts: &[Start], parameter: Option<&RawInput>, bytes: &[u8]) -> Option<FittedInput> {
    if let Some(parameter) = parameter {
        let objects = parameter.objects(bytes).into_iter();
        return Some(FittedInput {
            parts: objects
                .map(|(object, bytes)| part(object, 0, bytes))
                .collect(),
            is_cut: bytes.len() as u64 > parameter.most,
            is_filled: false,
        });
    }
    let names = ["A_data", "stdin", "arg00"];
    let object = names.iter().find_map(|name| spec(starts, name))?;
    // An argument ends with a zero that is no input.
    let most = object.free_ranges().iter().map(|(_, length)| length).sum();
    let size = bytes.len().min(most);
    let mut content = bytes[..size].to_vec();
    content.resize(most, 0);
    let mut fitted = FittedInput {
        parts: vec![part(object.name.clone(), 0, content)],
        is_cut: bytes.len() > most,
        is_filled: false,
    };
    let Some(stat) = spec(starts, &format!("{}_stat", object.name)) else {
        return Some(fitted);
    };
    let usual = stat.usual();
    let free = stat.free_ranges().into_iter();
    fitted.parts.extend(free.map(|(first, length)| {
        part(
            stat.name.clone(),
            first,
            usual[first..first + length].to_vec(),
        )
    }));
    match stat.open_size() {
        Some(offset) => {
            let size = (size as u32).to_le_bytes().to_vec();
            fitted.parts.push(part(stat.name.clone(), offset, size));
        }
        None => fitted.is_filled = size < most,
    }
    Some(fitted)
}
