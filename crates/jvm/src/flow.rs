//! Distances from the other sides of decisions to uncovered code.
//!
//! The weaver reports the control flow of each method of the program (`java/weaver/polypath/weave/Flow.java`). It
//! becomes a graph of parts of blocks, and [`search::Nearest`] measures in it. A JVM has no stack for us to look at,
//! so a method returns to all of its calls ([`RETURN`]), and the length of a call is a guess ([`CALL`]). A class that
//! is not loaded yet counts as uncovered. A virtual call may lead to each class below that is loaded. There are no
//! edges for exceptions but those that a method throws and catches itself, and none from the library back into the
//! program.

use crate::places::Info;
use rustc_hash::{FxHashMap, FxHashSet};
use search::distance::{Edge, Nearest};
use search::{Near, UNKNOWN};

/// The cost of a return beyond its block, and of one of many possible callees: its target is a guess.
const RETURN: u32 = 20;

/// The cost of passing a call by.
const CALL: u32 = 10;

/// The target of the other side of a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// It is the other side of a conditional jump, which was taken or not.
    Jump(bool),
    /// It goes on at the same place with another value.
    On,
    /// Into an exception.
    Error,
}

/// A decision's place, the block of the program that ran then ([`UNKNOWN`]: not reported), and the target of its other
/// side.
#[derive(Clone, Copy)]
pub(crate) struct Whence {
    pub site: u32,
    pub at: u32,
    pub side: Side,
}

/// A part of a block, up to its end or behind a call.
struct Segment {
    instruction: u32,
    length: u32,
    /// The place of the block that begins here, or [`UNKNOWN`].
    site: u32,
    /// The parts that follow in the method, by their instructions: a conditional jump's target comes first.
    next: Vec<u32>,
    returns: bool,
    callee: Option<Callee>,
}

struct Callee {
    kind: EdgeKind,
    class: String,
    member: String,
}

#[derive(Clone, Copy, PartialEq)]
enum EdgeKind {
    /// This method, or what the class inherits.
    Fixed,
    /// This one, or what a class below has in its place.
    Virtual,
    /// One that the library declares, and any class may have.
    Library,
}

struct MethodGraph {
    class: String,
    member: String,
    parts: Vec<Segment>,
}

/// The methods that were loaded, and the graph of them.
#[derive(Default)]
pub(crate) struct Flow {
    /// Classes, and those right above each.
    classes: FxHashMap<String, Vec<String>>,
    methods: Vec<MethodGraph>,
    /// Numbers by class and member.
    numbers: FxHashMap<String, usize>,
    graph: Option<Graph>,
    /// Places that were looked up: their part.
    parts: FxHashMap<u32, u32>,
    /// Blocks that others have covered.
    elsewhere: FxHashSet<u32>,
}

struct Graph {
    nearest: Nearest,
    /// By method, the number of its first part.
    first: Vec<u32>,
}

impl Flow {
    /// Hears of a class or a method. `number` makes a place's number here of the JVM's.
    ///
    /// # Errors
    /// The text is none of the weaver's.
    pub fn hear(&mut self, text: &str, number: impl Fn(u32) -> u32) -> Result<(), String> {
        let bad = || format!("a method's ways that are none: {text}");
        if let Some(class) = text.strip_prefix("class\t") {
            let mut names = class.split('\t').map(str::to_string);
            let name = names.next().ok_or_else(bad)?;
            self.classes.insert(name, names.collect());
            self.graph = None;
            return Ok(());
        }
        let mut lines = text.strip_prefix("flow\t").ok_or_else(bad)?.lines();
        let name = lines.next().ok_or_else(bad)?;
        // Another JVM says the same again.
        if self.numbers.contains_key(name) {
            return Ok(());
        }
        let parts: Option<Vec<Segment>> = lines.map(|line| part(line, &number)).collect();
        let (class, member) = name.split_once('.').ok_or_else(bad)?;
        self.numbers.insert(name.into(), self.methods.len());
        self.methods.push(MethodGraph {
            class: class.into(),
            member: member.into(),
            parts: parts.ok_or_else(bad)?,
        });
        self.graph = None;
        Ok(())
    }

    /// A block is covered.
    pub fn cover(&mut self, place: u32) {
        if let Some(graph) = &mut self.graph {
            graph.nearest.mark_covered(place);
        }
    }

    /// Others have covered a block: it is as good as covered here.
    pub fn cover_elsewhere(&mut self, place: u32) {
        self.elsewhere.insert(place);
        self.cover(place);
    }

    /// Have others covered a block?
    pub fn is_covered_elsewhere(&self, place: u32) -> bool {
        self.elsewhere.contains(&place)
    }

    /// The place that is nearest to the other side of a decision and not covered.
    pub fn near(&mut self, all: &[Info], whence: Whence) -> Near {
        if self.methods.is_empty() || whence.side == Side::Error {
            return Near::NONE;
        }
        let graph = match self.graph.take() {
            Some(graph) => graph,
            None => {
                self.parts.clear();
                self.graph(all)
            }
        };
        let near = self.measure(&graph, all, whence);
        self.graph = Some(graph);
        near
    }

    fn measure(&mut self, graph: &Graph, all: &[Info], whence: Whence) -> Near {
        let own = self.part_of(graph, all, whence.site);
        // Decisions of the library go on in the program's block.
        let (part, is_own) = match own {
            UNKNOWN => (self.part_of(graph, all, whence.at), false),
            part => (part, true),
        };
        if part == UNKNOWN {
            return Near::NONE;
        }
        if !is_own {
            return graph.nearest.of(part);
        }
        let method = graph.first.partition_point(|&first| first <= part) - 1;
        let (first, parts) = (graph.first[method], &self.methods[method].parts);
        let from = &parts[(part - first) as usize];
        match (whence.side, &from.next[..]) {
            (Side::Jump(taken), &[target, next]) => {
                let other = index(parts, if taken { next } else { target });
                other.map_or(Near::NONE, |other| graph.nearest.of(first + other))
            }
            _ => graph.nearest.within(part, from.length),
        }
    }

    /// The part that has a place.
    fn part_of(&mut self, graph: &Graph, all: &[Info], place: u32) -> u32 {
        if let Some(&part) = self.parts.get(&place) {
            return part;
        }
        let find = |info: &Info| {
            let method = *self.numbers.get(&info.place.method)?;
            let parts = &self.methods[method].parts;
            let behind = parts.partition_point(|p| p.instruction <= info.place.instruction);
            Some(graph.first[method] + behind.checked_sub(1)? as u32)
        };
        let part = all.get(place as usize).and_then(find).unwrap_or(UNKNOWN);
        self.parts.insert(place, part);
        part
    }

    fn graph(&self, all: &[Info]) -> Graph {
        let mut first = Vec::new();
        let mut sites = Vec::new();
        for method in &self.methods {
            first.push(sites.len() as u32);
            sites.extend(method.parts.iter().map(|part| part.site));
        }
        // Behind the parts of all methods: where each method returns, and what is not loaded.
        let returns = sites.len() as u32;
        let unloaded = returns + self.methods.len() as u32;
        sites.resize(unloaded as usize, UNKNOWN);
        sites.push(all.len() as u32);
        let covered = (0..).zip(all);
        let covered = covered.map(|(n, info)| info.covered || self.elsewhere.contains(&n));
        let mut covered: Vec<bool> = covered.collect();
        covered.push(false);

        let mut edges = Vec::new();
        let known = Classes::new(self);
        for (m, method) in self.methods.iter().enumerate() {
            for (p, part) in method.parts.iter().enumerate() {
                let from = first[m] + p as u32;
                let mut edge = |from: u32, to, cost| edges.push((from, Edge { to, cost }));
                let next = part.next.iter().filter_map(|&to| index(&method.parts, to));
                let next: Vec<u32> = next.map(|p| first[m] + p).collect();
                let cost = part.length;
                if part.returns {
                    edge(from, returns + m as u32, cost);
                }
                let (callees, is_loaded) = match &part.callee {
                    Some(callee) => known.candidates(callee),
                    None => (Vec::new(), true),
                };
                let past = if callees.is_empty() { 0 } else { CALL };
                next.iter().for_each(|&to| edge(from, to, cost + past));
                let guess = if callees.len() > 1 { RETURN } else { 0 };
                for callee in callees {
                    if !self.methods[callee].parts.is_empty() {
                        edge(from, first[callee], cost + guess);
                    }
                    let back = returns + callee as u32;
                    next.iter().for_each(|&to| edge(back, to, RETURN));
                }
                if !is_loaded {
                    edge(from, unloaded, cost);
                }
            }
        }
        Graph {
            nearest: Nearest::new(sites, &edges, covered),
            first,
        }
    }
}

/// A line of the weaver's.
fn part(line: &str, number: &impl Fn(u32) -> u32) -> Option<Segment> {
    let mut words = line.split(' ');
    let instruction = words.next()?.parse().ok()?;
    let length = words.next()?.parse().ok()?;
    let site: i64 = words.next()?.parse().ok()?;
    let mut part = Segment {
        instruction,
        length,
        site: u32::try_from(site).map_or(UNKNOWN, number),
        next: Vec::new(),
        returns: false,
        callee: None,
    };
    for word in words {
        let kind = match word.as_bytes().first()? {
            b'=' => EdgeKind::Fixed,
            b'~' => EdgeKind::Virtual,
            b'*' => EdgeKind::Library,
            b'r' => {
                part.returns = true;
                continue;
            }
            _ => {
                part.next.push(word.parse().ok()?);
                continue;
            }
        };
        let (class, member) = word[1..].split_once('.')?;
        part.callee = Some(Callee {
            kind,
            class: class.into(),
            member: member.into(),
        });
    }
    Some(part)
}

/// The number of the part that begins with an instruction.
fn index(parts: &[Segment], instruction: u32) -> Option<u32> {
    let at = parts.binary_search_by_key(&instruction, |p| p.instruction);
    at.ok().map(|at| at as u32)
}

/// Which methods a call may lead to.
struct Classes<'a> {
    flow: &'a Flow,
    with_member: FxHashMap<&'a str, Vec<usize>>,
}

impl<'a> Classes<'a> {
    fn new(flow: &'a Flow) -> Classes<'a> {
        let mut with_member: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (m, method) in flow.methods.iter().enumerate() {
            with_member.entry(&method.member).or_default().push(m);
        }
        Classes { flow, with_member }
    }

    /// The methods, and whether the class that declares the call is loaded, if it is the program's.
    fn candidates(&self, callee: &Callee) -> (Vec<usize>, bool) {
        let all = self.with_member.get(callee.member.as_str());
        let all = all.map_or(&[][..], Vec::as_slice);
        if callee.kind == EdgeKind::Library {
            return (all.to_vec(), true);
        }
        if !self.flow.classes.contains_key(&callee.class) {
            return (Vec::new(), false);
        }
        let mut found = Vec::new();
        if callee.kind == EdgeKind::Virtual {
            let below = |m: &&usize| self.is_below(&self.flow.methods[**m].class, &callee.class);
            found.extend(all.iter().filter(below));
        }
        found.extend(self.inherited(&callee.class, &callee.member));
        found.sort_unstable();
        found.dedup();
        (found, true)
    }

    /// The classes above one, and itself. Broken class files may have circles.
    fn above(&self, class: &'a str) -> Vec<&'a str> {
        let mut seen = FxHashSet::default();
        let mut open = vec![class];
        let mut all = Vec::new();
        while let Some(class) = open.pop() {
            if seen.insert(class) {
                all.push(class);
                let above = self.flow.classes.get(class);
                // The superclass, which comes first, is looked at first.
                open.extend(above.into_iter().flatten().rev().map(String::as_str));
            }
        }
        all
    }

    fn is_below(&self, class: &'a str, other: &str) -> bool {
        self.above(class).contains(&other)
    }

    /// The method that a class has, its own or one from above.
    fn inherited(&self, class: &str, member: &str) -> Option<usize> {
        let (class, _) = self.flow.classes.get_key_value(class)?;
        let above = self.above(class);
        let mut names = above.iter().map(|class| format!("{class}.{member}"));
        names.find_map(|name| self.flow.numbers.get(&name).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Place;

    /// A program of two classes whose blocks are the places 0, 1, …, and which of them are covered.
    fn distance(covered: &[u32], whence: Whence) -> u32 {
        let mut flow = Flow::default();
        let texts = [
            "class\tp/A\tjava/lang/Object",
            "class\tp/B\tp/A",
            // if (x) { g(); f } else h of an unloaded class
            "flow\tp/A.f()V\n1 3 0 9 4\n4 2 1 6 =p/A.g()V\n6 1 -1 return\n9 5 2 14 =p/C.h()V\n14 1 -1 return",
            "flow\tp/A.g()V\n0 4 3 return 7\n7 9 4 return",
            "flow\tp/B.g()V\n0 4 5 return",
            "flow\tp/B.k()V\n0 2 6 2 ~p/A.g()V\n2 7 -1 return",
        ];
        for text in texts {
            flow.hear(text, |n| n).unwrap();
        }
        let block = |place: u32| {
            let (method, instruction) = match place {
                0 => ("p/A.f()V", 1),
                1 => ("p/A.f()V", 4),
                2 => ("p/A.f()V", 9),
                3 => ("p/A.g()V", 0),
                4 => ("p/A.g()V", 7),
                5 => ("p/B.g()V", 0),
                6 => ("p/B.k()V", 0),
                _ => ("p/A.f()V", 3),
            };
            Info {
                place: Place {
                    method: method.into(),
                    instruction,
                    what: "block".into(),
                },
                line: 0,
                lines: Vec::new(),
                keys: Vec::new(),
                instructions: 1,
                covered: covered.contains(&place),
            }
        };
        let all: Vec<Info> = (0..8).map(block).collect();
        flow.near(&all, whence).distance
    }

    const JUMP: Whence = Whence {
        site: 7,
        at: UNKNOWN,
        side: Side::Jump(false),
    };

    #[test]
    fn the_other_side_of_a_jump_and_what_it_calls() {
        // The jump was not taken, so its target is the other side: uncovered, or five instructions before a class to load.
        assert_eq!(distance(&[0, 1, 3], JUMP), 0);
        assert_eq!(distance(&[0, 1, 2, 3], JUMP), 5);
        // It was taken: two instructions to the call, four in the callee.
        let taken = Whence {
            side: Side::Jump(true),
            ..JUMP
        };
        assert_eq!(distance(&[0, 2], taken), 0);
        assert_eq!(distance(&[0, 1, 2, 3], taken), 6);
        assert_eq!(distance(&[0, 1, 2, 3, 4, 5, 6, 7], taken), UNKNOWN);
    }

    #[test]
    fn a_virtual_call_leads_below_and_a_return_to_the_caller() {
        let in_library = |at| Whence {
            site: 1000,
            at,
            side: Side::On,
        };
        assert_eq!(distance(&[0, 1, 2, 3, 4, 6], in_library(6)), 2 + RETURN);
        // Into the callee and on.
        assert_eq!(distance(&[0, 1, 2, 3, 5, 6], in_library(6)), 2 + RETURN + 4);
        let error = Whence {
            side: Side::Error,
            ..JUMP
        };
        assert_eq!(distance(&[], error), UNKNOWN);
    }
}
