//! The parameter of a function that a file of bytes is for: the first array of bytes with a length of its own, or text.

use serde::{Deserialize, Serialize};

/// The name of the input that says how often a driver's bounds have doubled.
pub(crate) const BOUNDS: &str = "bounds";

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawInput {
    /// The input of the driver with the bytes.
    object: String,
    /// The input with their number, and how many bytes it has itself. A text has none, and ends with its zero.
    length: Option<(String, usize)>,
    /// The input has no byte but these: that of Java's programs.
    #[serde(default)]
    is_whole: bool,
    /// The first bound of the bytes.
    first: u64,
    /// The greatest number of bytes.
    pub most: u64,
}

impl RawInput {
    /// An array of bytes whose length is an input of so many bytes, with its first and its greatest bound.
    pub(crate) fn array(object: &str, length: (&str, u64), (first, most): (u64, u64)) -> RawInput {
        RawInput {
            object: object.to_string(),
            length: Some((length.0.to_string(), length.1 as usize)),
            is_whole: false,
            first,
            most,
        }
    }

    /// A text, with its first and its greatest bound.
    pub(crate) fn text(object: &str, (first, most): (u64, u64)) -> RawInput {
        RawInput {
            object: object.to_string(),
            length: None,
            is_whole: false,
            first,
            most,
        }
    }

    /// An array of bytes that is an input of its own, with its greatest number of bytes.
    pub fn whole(object: &str, most: u64) -> RawInput {
        RawInput {
            object: object.to_string(),
            length: None,
            is_whole: true,
            first: 0,
            most,
        }
    }

    /// The inputs of the driver that make these bytes the parameter's, by name. Those beyond the greatest number are left out.
    pub fn objects(&self, bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
        let bytes = &bytes[..bytes.len().min(self.most as usize)];
        let count = bytes.len() as u64;
        let (mut bound, mut steps) = (self.first, 0u8);
        // The first bound that they fit: the driver takes longer ones only with inputs beyond the bound before.
        while bound < count && bound > 0 {
            bound = bound.saturating_mul(2).min(self.most);
            steps += 1;
        }
        let zero = usize::from(self.length.is_none());
        let mut content = bytes.to_vec();
        content.resize(bound as usize + zero, 0);
        let mut objects = vec![(BOUNDS.to_string(), vec![steps])];
        if let Some((length, width)) = &self.length {
            let mut value = count.to_le_bytes().to_vec();
            value.resize(*width, 0);
            objects.push((length.clone(), value));
        }
        objects.push((self.object.clone(), content));
        objects
    }

    /// The bytes that the driver's inputs give to the parameter; `None`: they are not among these.
    pub fn bytes(&self, objects: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
        let object = |name: &str| {
            objects
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, bytes)| bytes)
        };
        let content = object(&self.object)?;
        if self.is_whole {
            return Some(content.clone());
        }
        let count = match &self.length {
            Some((length, _)) => {
                let bytes = object(length)?.iter().rev();
                bytes.fold(0, |n: u64, byte| n << 8 | u64::from(*byte)) as usize
            }
            None => content.iter().position(|&b| b == 0)?,
        };
        content.get(..count).map(<[u8]>::to_vec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_in_and_come_out() {
        let array = RawInput::array("data", ("size", 4), (4, 50));
        let text = RawInput::text("s", (8, 50));
        for count in 0..=60u8 {
            let bytes: Vec<u8> = (1..=count).collect();
            let of_java = [
                ("a".to_string(), vec![7]),
                ("data".to_string(), bytes.clone()),
            ];
            let whole = RawInput::whole("data", 60).bytes(&of_java);
            assert_eq!(whole.as_ref(), Some(&bytes));
            let kept = &bytes[..bytes.len().min(50)];
            for raw in [&array, &text] {
                let objects = raw.objects(&bytes);
                assert_eq!(raw.bytes(&objects).as_deref(), Some(kept));
                let size = objects.last().map(|(_, content)| content.len());
                // The bounds of a driver: doubled from the first one on, up to the greatest.
                let (first, zero) = if raw == &array { (4, 0) } else { (8, 1) };
                let bounds = [first, 8, 16, 32, 50];
                let bound = bounds.iter().find(|b| **b >= kept.len()).copied();
                assert_eq!(size, bound.map(|b| b + zero), "{count}");
            }
        }
    }
}
