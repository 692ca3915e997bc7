//! Random well-sorted formulas: every operator of the theories, widths 1 to 256, arrays,
//! functions, linear integers. A seed is a formula.

use super::formula::{Declaration, Formula, Node, Sort};

/// Widest operand of a product or quotient of two terms: beyond, no solver answers in time.
const WIDEST_PRODUCT: u32 = 12;

struct Random(u64);

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u32) -> u32 {
        (self.next() >> 32) as u32 % bound
    }

    fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u32) as usize]
    }
}

struct Generator {
    random: Random,
    widths: Vec<u32>,
    declarations: Vec<Declaration>,
    ints: bool,
    arrays: Vec<(u32, u32)>,
}

/// The formula of a seed.
pub fn formula(seed: u64) -> Formula {
    let mut random = Random(seed);
    let mut widths: Vec<u32> = (0..2 + random.below(3))
        .map(|_| match random.below(20) {
            0..=9 => 1 + random.below(8),
            10..=15 => 9 + random.below(24),
            16..=18 => 33 + random.below(48),
            _ => 1 + random.below(256),
        })
        .collect();
    // Something narrow is always there, for products.
    widths.push(1 + random.below(6));
    let kind = random.below(10);
    let mut generator = Generator {
        ints: kind >= 8,
        random,
        widths,
        declarations: vec![],
        arrays: vec![],
    };
    generator.declare(kind);
    let count = 1 + generator.random.below(5);
    let assertions = (0..count)
        .map(|_| {
            let depth = 2 + generator.random.below(4);
            generator.term(Sort::Bool, depth)
        })
        .collect();
    Formula {
        declarations: generator.declarations,
        assertions,
    }
}

impl Generator {
    fn declare(&mut self, kind: u32) {
        let mut add = |name: String, params: Vec<Sort>, sort: Sort| {
            self.declarations.push(Declaration { name, params, sort });
        };
        if kind == 9 {
            // Integers only.
            (0..4).for_each(|k| add(format!("i{k}"), vec![], Sort::Int));
            (0..2).for_each(|k| add(format!("p{k}"), vec![], Sort::Bool));
            return;
        }
        if kind == 8 {
            (0..3).for_each(|k| add(format!("i{k}"), vec![], Sort::Int));
        }
        (0..2).for_each(|k| add(format!("p{k}"), vec![], Sort::Bool));
        for (k, &width) in self.widths.iter().enumerate() {
            add(format!("x{k}"), vec![], Sort::Bits(width));
            add(format!("y{k}"), vec![], Sort::Bits(width));
        }
        if (3..8).contains(&kind) {
            let pick =
                |random: &mut Random| self.widths[random.below(self.widths.len() as u32) as usize];
            let (first, second) = (
                (pick(&mut self.random), pick(&mut self.random)),
                (pick(&mut self.random), pick(&mut self.random)),
            );
            if kind != 4 {
                self.arrays = vec![first, second];
                for (k, (index, elem)) in [first, first, second].into_iter().enumerate() {
                    add(format!("m{k}"), vec![], Sort::Array(index, elem));
                }
            }
            if kind >= 4 {
                add("f".into(), vec![Sort::Bits(first.0)], Sort::Bits(first.1));
                let params = vec![Sort::Bits(second.0), Sort::Bool];
                add("g".into(), params, Sort::Bits(second.1));
                add("h".into(), vec![Sort::Bits(first.0)], Sort::Bool);
            }
        }
    }

    /// A width other than `width`, when there is one.
    fn width(&mut self) -> u32 {
        let widths = self.widths.clone();
        *self.random.one_of(&widths)
    }

    fn has_bits(&self) -> bool {
        self.declarations
            .iter()
            .any(|d| matches!(d.sort, Sort::Bits(_)))
    }

    /// A declared constant of a sort.
    fn constant(&mut self, sort: Sort) -> Option<Node> {
        let fitting: Vec<String> = self
            .declarations
            .iter()
            .filter(|d| d.sort == sort && d.params.is_empty())
            .map(|d| d.name.clone())
            .collect();
        if fitting.is_empty() {
            return None;
        }
        Some(Node::leaf(self.random.one_of(&fitting).clone(), sort))
    }

    fn literal(&mut self, width: u32) -> Node {
        let kind = self.random.below(4);
        let digits: String = (0..width)
            .map(|k| match kind {
                0 => k >= width.saturating_sub(3) && self.random.below(2) == 1,
                1 => k == 0,
                2 => true,
                _ => self.random.below(2) == 1,
            })
            .map(|bit| if bit { '1' } else { '0' })
            .collect();
        Node::leaf(format!("#b{digits}"), Sort::Bits(width))
    }

    fn leaf(&mut self, sort: Sort) -> Node {
        if self.random.below(4) > 0
            && let Some(constant) = self.constant(sort)
        {
            return constant;
        }
        match sort {
            Sort::Bool => Node::leaf(*self.random.one_of(&["true", "false"]), sort),
            Sort::Bits(width) => self.literal(width),
            Sort::Int => self.number(),
            Sort::Array(..) => match self.constant(sort) {
                Some(constant) => constant,
                None => sort.simplest(),
            },
        }
    }

    fn number(&mut self) -> Node {
        let value = match self.random.below(8) {
            0 => "1000000000000000000000".to_string(),
            1 => self.random.below(1000).to_string(),
            _ => self.random.below(8).to_string(),
        };
        let text = if self.random.below(3) == 0 && value != "0" {
            format!("(- {value})")
        } else {
            value
        };
        Node::leaf(text, Sort::Int)
    }

    fn terms(&mut self, sort: Sort, count: u32, depth: u32) -> Vec<Node> {
        (0..count).map(|_| self.term(sort, depth)).collect()
    }

    fn ite(&mut self, sort: Sort, depth: u32) -> Node {
        let mut args = self.terms(Sort::Bool, 1, depth);
        args.extend(self.terms(sort, 2, depth));
        Node::new("ite", args, sort)
    }

    /// A declared function's value.
    fn call(&mut self, sort: Sort, depth: u32) -> Option<Node> {
        let fitting: Vec<Declaration> = self
            .declarations
            .iter()
            .filter(|d| d.sort == sort && !d.params.is_empty())
            .cloned()
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.random.one_of(&fitting).clone();
        let args = function
            .params
            .iter()
            .map(|&p| self.term(p, depth))
            .collect();
        Some(Node::new(function.name, args, sort))
    }

    fn term(&mut self, sort: Sort, depth: u32) -> Node {
        if depth == 0 || self.random.below(8) == 0 {
            return self.leaf(sort);
        }
        let depth = depth - 1;
        match sort {
            Sort::Bool => self.condition(depth),
            Sort::Bits(width) => self.bits(width, depth),
            Sort::Int => self.int(depth),
            Sort::Array(index, elem) => match self.random.below(4) {
                0 => self.ite(sort, depth),
                1 => {
                    let args = self.terms(Sort::Bits(elem), 1, depth);
                    Node::new(format!("(as const {sort})"), args, sort)
                }
                _ => {
                    let mut args = self.terms(sort, 1, depth);
                    args.extend(self.terms(Sort::Bits(index), 1, depth));
                    args.extend(self.terms(Sort::Bits(elem), 1, depth));
                    Node::new("store", args, sort)
                }
            },
        }
    }

    fn condition(&mut self, depth: u32) -> Node {
        let sort = Sort::Bool;
        if self.ints && (!self.has_bits() || self.random.below(2) == 0) {
            let op = *self.random.one_of(&["<=", "<", ">=", ">", "=", "distinct"]);
            let args = self.terms(Sort::Int, 2, depth);
            return Node::new(op, args, sort);
        }
        match self.random.below(14) {
            0 => {
                let args = self.terms(sort, 1, depth);
                Node::new("not", args, sort)
            }
            1..=3 => {
                let op = *self
                    .random
                    .one_of(&["and", "or", "xor", "=>", "=", "distinct"]);
                let count = if op == "distinct" {
                    2
                } else {
                    2 + self.random.below(2)
                };
                let args = self.terms(sort, count, depth);
                Node::new(op, args, sort)
            }
            4 => self.ite(sort, depth),
            5 if !self.arrays.is_empty() => {
                let arrays = self.arrays.clone();
                let &(index, elem) = self.random.one_of(&arrays);
                let args = self.terms(Sort::Array(index, elem), 2, depth);
                Node::new("=", args, sort)
            }
            6 => match self.call(sort, depth) {
                Some(call) => call,
                None => self.leaf(sort),
            },
            7 if self.has_bits() => {
                const OVERFLOWS: &[&str] = &[
                    "bvnego", "bvuaddo", "bvsaddo", "bvusubo", "bvssubo", "bvumulo", "bvsmulo",
                    "bvsdivo",
                ];
                let op = *self.random.one_of(OVERFLOWS);
                let width = match op {
                    "bvumulo" | "bvsmulo" => self.width().min(WIDEST_PRODUCT / 2),
                    _ => self.width(),
                };
                let count = if op == "bvnego" { 1 } else { 2 };
                let args = self.terms(Sort::Bits(width), count, depth);
                Node::new(op, args, sort)
            }
            _ if self.has_bits() => {
                const ORDERS: &[&str] = &[
                    "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge", "=",
                    "=", "distinct",
                ];
                let op = *self.random.one_of(ORDERS);
                let width = self.width();
                let count = if op == "distinct" && width > 2 {
                    2 + self.random.below(2)
                } else {
                    2
                };
                let args = self.terms(Sort::Bits(width), count, depth);
                Node::new(op, args, sort)
            }
            _ => self.leaf(sort),
        }
    }

    fn bits(&mut self, width: u32, depth: u32) -> Node {
        let sort = Sort::Bits(width);
        let unary = |this: &mut Generator, head: String, from: u32| {
            let args = this.terms(Sort::Bits(from), 1, depth);
            Node::new(head, args, sort)
        };
        match self.random.below(16) {
            0 => {
                let op = *self.random.one_of(&["bvnot", "bvneg"]);
                unary(self, op.into(), width)
            }
            1..=4 => {
                const CHEAP: &[&str] = &[
                    "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvadd", "bvsub",
                    "bvshl", "bvlshr", "bvashr",
                ];
                let op = *self.random.one_of(CHEAP);
                let args = self.terms(sort, 2, depth);
                Node::new(op, args, sort)
            }
            5 | 6 => {
                const COSTLY: &[&str] =
                    &["bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"];
                let op = *self.random.one_of(COSTLY);
                let mut args = self.terms(sort, 1, depth);
                args.push(if width > WIDEST_PRODUCT {
                    self.literal(width)
                } else {
                    self.term(sort, depth)
                });
                if self.random.below(3) == 0 {
                    args.reverse();
                }
                Node::new(op, args, sort)
            }
            7 => {
                let op = *self.random.one_of(&["rotate_left", "rotate_right"]);
                let by = self.random.below(width + 2);
                unary(self, format!("(_ {op} {by})"), width)
            }
            8 => {
                let low = self.random.below(20);
                let from = (width + low + self.random.below(20)).min(300);
                let low = low.min(from - width);
                let high = low + width - 1;
                unary(self, format!("(_ extract {high} {low})"), from)
            }
            9 | 10 => {
                let from = 1 + self.random.below(width);
                let op = *self.random.one_of(&["zero_extend", "sign_extend"]);
                unary(self, format!("(_ {op} {})", width - from), from)
            }
            11 if width > 1 => {
                let high = 1 + self.random.below(width - 1);
                let mut args = self.terms(Sort::Bits(high), 1, depth);
                args.extend(self.terms(Sort::Bits(width - high), 1, depth));
                Node::new("concat", args, sort)
            }
            11 => {
                let other = self.width();
                let args = self.terms(Sort::Bits(other), 2, depth);
                Node::new("bvcomp", args, sort)
            }
            12 if width.is_multiple_of(2) => unary(self, "(_ repeat 2)".into(), width / 2),
            13 => match self.call(sort, depth) {
                Some(call) => call,
                None => self.leaf(sort),
            },
            14 => {
                let fitting: Vec<(u32, u32)> = self
                    .arrays
                    .iter()
                    .copied()
                    .filter(|a| a.1 == width)
                    .collect();
                if fitting.is_empty() {
                    return self.ite(sort, depth);
                }
                let &(index, elem) = self.random.one_of(&fitting);
                let mut args = self.terms(Sort::Array(index, elem), 1, depth);
                args.extend(self.terms(Sort::Bits(index), 1, depth));
                Node::new("select", args, sort)
            }
            _ => self.ite(sort, depth),
        }
    }

    fn int(&mut self, depth: u32) -> Node {
        let sort = Sort::Int;
        match self.random.below(9) {
            0 => self.ite(sort, depth),
            1 => {
                let mut args = vec![self.number()];
                args.extend(self.terms(sort, 1, depth));
                Node::new("*", args, sort)
            }
            2 => {
                let op = *self.random.one_of(&["div", "mod"]);
                let divisor = 1 + self.random.below(7);
                let text = if self.random.below(3) == 0 {
                    format!("(- {divisor})")
                } else {
                    divisor.to_string()
                };
                let mut args = self.terms(sort, 1, depth);
                args.push(Node::leaf(text, sort));
                Node::new(op, args, sort)
            }
            3 => {
                let op = *self.random.one_of(&["abs", "-"]);
                let args = self.terms(sort, 1, depth);
                Node::new(op, args, sort)
            }
            4..=6 => {
                let op = *self.random.one_of(&["+", "-"]);
                let count = 2 + self.random.below(2);
                let args = self.terms(sort, count, depth);
                Node::new(op, args, sort)
            }
            _ => self.leaf(sort),
        }
    }
}
