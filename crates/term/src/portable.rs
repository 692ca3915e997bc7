//! Terms on their way to the pool of another process.
//!
//! Handles and symbols have a meaning in their pool only. Here a term is the list of the nodes that it is made of, which
//! name each other by their place in the list and symbols by their names.

use crate::node::{Node, Op, Symbol, Term};
use crate::pool::Pool;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The data of a node other than its operands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Extra {
    /// Its own bits.
    Bits([u32; 3], u32),
    /// The bits, and so many operands: places in the list.
    Operands(Vec<u32>, [u32; 3], u32),
    Symbol(String),
    Limbs(Vec<u64>),
    Content(Vec<u8>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PortableNode {
    op: Op,
    imm: u8,
    sort: u32,
    extra: Extra,
}

/// Some terms with all that they are made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PortableTerms {
    nodes: Vec<PortableNode>,
    roots: Vec<u32>,
}

impl PortableTerms {
    /// These terms of a pool.
    pub fn of(pool: &Pool, terms: &[Term]) -> PortableTerms {
        let cone = pool.cone(terms);
        let places: HashMap<Term, u32> = cone.iter().copied().zip(0u32..).collect();
        let portable = |&t: &Term| {
            let node = pool.node(t);
            let bits = node.kids.map(|kid| kid.0);
            let extra = match node.op {
                Op::Symbol => Extra::Symbol(pool.symbol_name(Symbol(node.aux)).to_string()),
                Op::ConstWide | Op::IntConst => {
                    Extra::Limbs(pool.wide.items[node.aux as usize].to_vec())
                }
                Op::ArrayBytes => Extra::Content(pool.contents.items[node.aux as usize].to_vec()),
                _ if node.arity == 0 => Extra::Bits(bits, node.aux),
                _ => {
                    let operands = node.children().iter().map(|kid| places[kid]);
                    Extra::Operands(operands.collect(), bits, node.aux)
                }
            };
            PortableNode {
                op: node.op,
                imm: node.imm,
                sort: node.sort,
                extra,
            }
        };
        PortableTerms {
            nodes: cone.iter().map(portable).collect(),
            roots: terms.iter().map(|t| places[t]).collect(),
        }
    }

    /// The same terms in another pool, in their order. `symbol` knows its symbols by their names.
    ///
    /// # Errors
    /// In words: a symbol is not known there, or this is no list of terms.
    pub fn rebuild(
        &self,
        pool: &mut Pool,
        symbol: &dyn Fn(&str) -> Option<Symbol>,
    ) -> Result<Vec<Term>, String> {
        let mut made: Vec<Term> = Vec::with_capacity(self.nodes.len());
        for PortableNode {
            op,
            imm,
            sort,
            extra,
        } in &self.nodes
        {
            let mut node = Node::new(*op, *sort, &[]).with_imm(*imm);
            let term = match extra {
                Extra::Symbol(name) => {
                    let known = symbol(name).filter(|&s| pool.symbol_sort(s).encode() == *sort);
                    let known = known.ok_or_else(|| format!("the symbol {name} is unknown"))?;
                    pool.symbol_term(known)
                }
                Extra::Limbs(limbs) => {
                    let id = pool.wide.intern(limbs);
                    pool.intern(node.with_aux(id))
                }
                Extra::Content(content) => {
                    let id = pool.contents.intern(content);
                    pool.intern(node.with_aux(id))
                }
                Extra::Bits(bits, aux) => {
                    node.kids = bits.map(Term);
                    pool.intern(node.with_aux(*aux))
                }
                Extra::Operands(operands, bits, aux) => {
                    let at = |&place: &u32| made.get(place as usize).copied();
                    let kids: Option<Vec<Term>> = operands.iter().map(at).collect();
                    let kids = kids.filter(|kids| kids.len() <= 3);
                    let kids = kids.ok_or("an operand comes after its term")?;
                    // What is no operand may be a number (the bounds of an index).
                    node.kids = bits.map(Term);
                    node.kids[..kids.len()].copy_from_slice(&kids);
                    node.arity = kids.len() as u8;
                    pool.intern(node.with_aux(*aux))
                }
            };
            made.push(term);
        }
        let root = |&place: &u32| made.get(place as usize).copied();
        let roots: Option<Vec<Term>> = self.roots.iter().map(root).collect();
        roots.ok_or_else(|| "a term is not in its list".to_string())
    }

    /// The names of the symbols in it.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| match &node.extra {
            Extra::Symbol(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assignment, Evaluator, Sort};

    /// Pools whose symbols have other numbers.
    fn pools() -> (Pool, [Symbol; 4], Pool, HashMap<String, Symbol>) {
        let names = ["a[0]", "a[1]", "b[0]", "b[1]"];
        let (mut from, mut to) = (Pool::new(), Pool::new());
        let symbols = names.map(|name| from.new_symbol(name, Sort::BitVec(8)));
        to.new_symbol("other", Sort::BitVec(32));
        let known = names.iter().rev();
        let known = known.map(|name| ((*name).into(), to.new_symbol(name, Sort::BitVec(8))));
        let known = known.collect();
        (from, symbols, to, known)
    }

    #[test]
    fn terms_mean_the_same_in_another_pool() {
        let (mut from, symbols, mut to, known) = pools();
        let [a, b, c, d] = symbols.map(|s| from.symbol_term(s));
        let (wide, low) = (from.concat(a, b), from.concat(c, d));
        let product = from.mul(wide, low);
        let big = from.bv_wide(80, &[7, 9]);
        let huge = from.zext(80, product);
        let content: Vec<u8> = (0..=255).map(|i: u8| i.wrapping_mul(37)).collect();
        let array = from.array_bytes(&content);
        let (at, next) = (from.zext(64, wide), from.zext(64, low));
        let stored = from.store(array, at, c);
        let read = from.select_typed(stored, next, 1, 900, 2);
        let half = from.bv(16, 0x3c00);
        let format = crate::FloatFormat::NAMED[0];
        let x = from.fp_from_bits(format, wide);
        let one = from.fp_from_bits(format, half);
        let sum = from.fadd(x, one);
        let terms = [
            from.ult(wide, low),
            from.eq(huge, big),
            from.eq(read, d),
            from.fp_to_bits(sum),
        ];
        let sent = postcard::to_stdvec(&PortableTerms::of(&from, &terms)).unwrap();
        let sent: PortableTerms = postcard::from_bytes(&sent).unwrap();
        let got = sent
            .rebuild(&mut to, &|name| known.get(name).copied())
            .unwrap();
        assert_eq!(got.len(), terms.len());
        for seed in 0..200u64 {
            let (mut here, mut there) = (Assignment::new(), Assignment::new());
            for (i, &symbol) in symbols.iter().enumerate() {
                let value = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(13) >> (8 * i);
                here.set(symbol, value & 255);
                there.set(known[from.symbol_name(symbol)], value & 255);
            }
            for (&a, &b) in terms.iter().zip(&got) {
                let here = Evaluator::default().eval(&from, a, &here);
                assert_eq!(here, Evaluator::default().eval(&to, b, &there));
            }
        }
        // They are hash-consed there.
        let size = to.len();
        let again = sent.rebuild(&mut to, &|name| known.get(name).copied());
        assert_eq!((again.unwrap(), to.len()), (got, size));
    }

    #[test]
    fn what_is_no_list_of_terms_is_refused() {
        let (mut from, symbols, mut to, known) = pools();
        let [a, b, ..] = symbols.map(|s| from.symbol_term(s));
        let sum = from.add(a, b);
        let good = PortableTerms::of(&from, &[sum]);
        let missing = good.rebuild(&mut to, &|_| None);
        assert!(missing.unwrap_err().contains("a[0]"));
        let mut harmed = good.clone();
        harmed.nodes.reverse();
        let refused = harmed.rebuild(&mut to, &|name| known.get(name).copied());
        assert!(refused.is_err());
        let mut harmed = good;
        harmed.roots = vec![77];
        let refused = harmed.rebuild(&mut to, &|name| known.get(name).copied());
        assert!(refused.is_err());
    }
}
