//! The inputs of a Java program for its tests, and the places that it has covered.

use super::sources::{self, Sources};
use crate::contract::{self, Doubt};
use crate::plan::Java;
use crate::record::{Atlas, Given};
use explore::{Bound, Lost, ObjectEnd, PathEnd, PathInput, Place, Places, StackEntry, Totals};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use testcase::{Coverage, StackFrame, TestCase};

/// The sources of a program, which its tests and its coverage name.
pub type SharedSources = Rc<RefCell<Sources>>;

/// The calls of an entry point.
pub struct Calls {
    pub entry: String,
    pub sources: SharedSources,
    pub java: Java,
}

impl Given for Calls {
    fn test(&self, path: &PathEnd, input: &PathInput) -> TestCase {
        let (given, asked) = path.objects.split_at(input.input_objects as usize);
        let mut args = vec![self.entry.clone()];
        args.extend(input.arguments.iter().cloned());
        args.extend(asked.iter().map(shown));
        let stdin = given.iter().find(|o| o.name == "stdin");
        TestCase {
            args: args.into_iter().map(String::into_bytes).collect(),
            stdin: stdin.map(|o| o.bytes.clone()),
            ..TestCase::default()
        }
    }

    fn decided_by(&self, objects: &[ObjectEnd]) -> Vec<String> {
        let decisive = objects.iter().filter(|o| !o.relevant.is_empty());
        decisive.map(|o| o.name.clone()).collect()
    }

    fn doubt(&self, path: &PathEnd, _: &[StackFrame]) -> Option<Doubt> {
        contract::java::doubt(path)
    }

    fn source(&mut self, call: &StackEntry) -> Option<String> {
        let class = call.function.rsplit_once('.');
        let class = class.map_or(&call.function[..], |(class, _)| class);
        let mut sources = self.sources.borrow_mut();
        (!call.library).then(|| sources.path(sources::package(class), &call.file))
    }

    fn limits(&self, met: &BTreeMap<Bound, BTreeMap<String, u64>>) -> BTreeMap<Bound, String> {
        let missing = |places: &BTreeMap<String, u64>| {
            let places = explore::few(places.keys().map(String::as_str));
            format!("the program looked for files that are not there ({places})")
        };
        let lengths = |bounds: &BTreeMap<String, u64>| {
            let bounds = bounds.keys().filter_map(|bound| bound.parse::<u32>().ok());
            let reached = bounds.max().unwrap_or(0);
            self.java.lengths(&reached.to_string())
        };
        let lengths = met.get(&Bound::Lengths).map(lengths);
        let missing = met.get(&Bound::Missing).map(missing);
        let words = [(Bound::Lengths, lengths), (Bound::Missing, missing)];
        let met = words.into_iter();
        met.filter_map(|(bound, words)| Some((bound, words?)))
            .collect()
    }

    fn count(&self, totals: &Totals, more: &mut BTreeMap<String, Value>) {
        let lost = |((lost, place), n): (&(Lost, String), &u64)| json!({"what": lost.words(), "place": place, "times": n});
        let lost: Vec<Value> = totals.lost_at.iter().map(lost).collect();
        more.insert("java_losses".into(), lost.into());
        more.insert("java_wrong".into(), totals.wrong.clone().into());
    }
}

/// The bytes of a value of this type.
fn size(kind: char) -> usize {
    match kind {
        'Z' | 'B' => 1,
        'S' | 'C' => 2,
        'J' | 'D' => 8,
        _ => 4,
    }
}

/// "x=5": an object as a reader of the test wants to see it.
fn shown(object: &ObjectEnd) -> String {
    let value = |b: &[u8]| {
        let mut wide = [0; 8];
        wide[..b.len()].copy_from_slice(b);
        let bits = u64::from_le_bytes(wide);
        match object.kind {
            'Z' => (bits != 0).to_string(),
            'B' => (bits as i8).to_string(),
            'S' => (bits as i16).to_string(),
            'C' => (bits as u16).to_string(),
            'I' => (bits as i32).to_string(),
            // As Java writes them: with an exponent where digits would be many.
            'F' => format!("{:?}", f32::from_bits(bits as u32)),
            'D' => format!("{:?}", f64::from_bits(bits)),
            _ => (bits as i64).to_string(),
        }
    };
    // Characters that belong together are a string.
    if object.kind == 'C' && jvm::length_of(&object.name).is_none() {
        let units = object.bytes.chunks_exact(2);
        let units: Vec<u16> = units.map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        return format!("{}={:?}", object.name, String::from_utf16_lossy(&units));
    }
    let values = object.bytes.chunks(size(object.kind)).map(value);
    let values: Vec<String> = values.collect();
    format!("{}={}", object.name, values.join(","))
}

/// The blocks of the classes that were loaded.
pub struct Blocks {
    pub places: jvm::Places,
    pub sources: SharedSources,
}

impl Atlas for Blocks {
    fn check(&self, news: &Places) -> Result<(), String> {
        self.places.check(news)
    }

    fn take_in(&mut self, news: &Places) -> Result<Vec<Place>, String> {
        self.places.take_in(news)
    }

    fn all(&self) -> Places {
        self.places.everything()
    }

    fn clear(&mut self) {
        self.places.clear();
    }

    fn branches(&self) -> (u64, u64) {
        (0, 0)
    }

    fn instructions(&self) -> (u64, u64) {
        self.places.instructions()
    }

    fn coverage(&mut self) -> Coverage {
        self.sources.borrow_mut().coverage(&self.places.methods())
    }
}
