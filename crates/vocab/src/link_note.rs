//! The note in a binary about the options by which its linker changed names.
//!
//! `polypath cc` has the linker write it (`--package-metadata`, an ELF note of the kind FDO packaging metadata), since `strip` leaves it
//! where it takes the symbols away. Its text is a JSON object, in which we have one field: facts with blanks between.

use serde::Deserialize;

/// The section of the note.
pub const SECTION: &str = ".note.package";

/// The text to write for these facts.
pub fn text(facts: &str) -> String {
    serde_json::json!({ "polypath": facts }).to_string()
}

/// The facts, of the contents of the section; `None` if there is no such note, or another packager's.
pub fn facts(section: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Metadata {
        polypath: String,
    }
    // A header of three words, the owner's name in full words, and the text with its NUL.
    let word = |at: usize| {
        let bytes = section.get(at..at.checked_add(4)?)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let owner = word(0)?.checked_next_multiple_of(4)?;
    let from = owner.checked_add(12)?;
    let text = section.get(from..from.checked_add(word(4)?)?)?;
    let text = text.split(|b| *b == 0).next()?;
    let metadata: Metadata = serde_json::from_slice(text).ok()?;
    Some(metadata.polypath)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A note of this owner with this text.
    fn note(owner: &str, text: &str) -> Vec<u8> {
        let mut note = Vec::new();
        for word in [owner.len() + 1, text.len() + 1, 0xcafe_1a7e] {
            note.extend(u32::try_from(word).unwrap().to_le_bytes());
        }
        for part in [owner, text] {
            note.extend(part.bytes());
            note.push(0);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        note
    }

    #[test]
    fn what_was_written_is_read() {
        for said in ["", "wrap=f defsym=g=h", r#"defsym="a\b"=1"#] {
            let note = note("FDO", &text(said));
            assert_eq!(facts(&note).as_deref(), Some(said));
            // Whatever is cut off, nothing is made of it.
            let text_ends = 16 + text(said).len();
            for end in 0..text_ends {
                assert_eq!(facts(&note[..end]), None, "{end}");
            }
        }
    }

    #[test]
    fn notes_of_others_say_nothing() {
        assert_eq!(facts(&note("FDO", r#"{"type":"deb"}"#)), None);
        assert_eq!(facts(&note("FDO", "no json")), None);
        assert_eq!(facts(&[0xff; 64]), None);
    }
}
