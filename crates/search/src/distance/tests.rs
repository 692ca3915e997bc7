use super::*;
use ir::{Function, Inst, Location, Reg, Site, Val};

/// A module from functions given as code whose targets are absolute; sites 0..`sites` belong to
/// function 0.
fn module(functions: &[&[Inst]], sites: u32) -> Module {
    let mut m = Module::default();
    for code in functions {
        let entry = m.code.len() as Pc;
        m.code.extend_from_slice(code);
        m.functions.push(Function {
            name: format!("f{entry}"),
            ty: 0,
            entry,
            end: m.code.len() as Pc,
            params: Vec::new(),
            results: Vec::new(),
            registers: 4,
            frame: ir::layout::FRAME,
            variadic: None,
            own: true,
            location: Location::default(),
        });
    }
    let site = Site {
        function: 0,
        location: Location::default(),
        outcome: None,
        lines: Vec::new(),
        instructions: 1,
    };
    m.sites = vec![site; sites as usize];
    m
}

const R: Reg = Reg(0);
const NOP: Inst = Inst::StackSave { dst: R };
const RET: Inst = Inst::Ret {
    values: 0,
    count: 0,
};

fn cover(site: u32) -> Inst {
    Inst::Cover { site }
}

fn branch(then: Pc, other: Pc) -> Inst {
    Inst::Branch {
        c: Val::reg(R),
        then,
        other,
    }
}

fn call(callee: u32) -> Inst {
    Inst::Call {
        callee,
        dst: R,
        args: 0,
        count: 0,
    }
}

fn near(distance: u32, site: u32) -> Near {
    Near { distance, site }
}

#[test]
fn a_diamond() {
    // 0: cover 0; nop; branch 3 or 6   3: cover 1; nop; jump 8   6: cover 2; jump 8   8: cover 3; ret
    let code = [
        cover(0),
        NOP,
        branch(3, 6),
        cover(1),
        NOP,
        Inst::Jump { target: 8 },
        cover(2),
        Inst::Jump { target: 8 },
        cover(3),
        RET,
    ];
    let mut d = Distances::new(&module(&[&code], 4));
    assert_eq!(d.uncovered(), 4);
    assert_eq!(d.of(0, []), near(0, 0));
    assert_eq!(d.of(1, []), near(2, 1));
    assert!(d.mark_covered(0) && !d.mark_covered(0));
    assert_eq!(d.of(0, []), near(3, 1));
    d.mark_covered(1);
    assert_eq!(d.of(0, []), near(3, 2));
    assert_eq!(d.of(3, []), near(3, 3));
    d.mark_covered(2);
    assert_eq!(d.of(0, []), near(5, 3));
    d.mark_covered(3);
    assert_eq!(d.of(0, []), Near::NONE);
    assert_eq!(d.uncovered(), 0);
}

#[test]
fn into_calls_past_calls_and_back_through_the_stack() {
    // f0: 0 cover 0; 1 call f1; 2 nop; 3 cover 1; 4 ret      f1: 5 nop; 6 branch 7 9; 7 cover 2; 8 ret; 9 nop; 10 ret
    let f0 = [cover(0), call(1), NOP, cover(1), RET];
    let f1 = [NOP, branch(7, 9), cover(2), RET, NOP, RET];
    let mut d = Distances::new(&module(&[&f0, &f1], 3));
    d.mark_covered(0);
    assert_eq!(d.of(0, []), near(4, 2), "into the callee");
    d.mark_covered(2);
    // Past the call: cover, call, [nop, branch, cover, ret], nop.
    assert_eq!(d.of(0, []), near(7, 1));
    // In the callee the site is reached by returning, if the stack says so.
    assert_eq!(d.of(9, []), Near::NONE);
    assert_eq!(d.of(9, [2]), near(3, 1));
    assert_eq!(d.of(5, [2]), near(5, 1));
}

#[test]
fn recursion_and_functions_that_never_return() {
    // f0: 0 call f1; 1 cover 0; 2 ret.   f1: 3 branch 4 6; 4 call f1; 5 ret; 6 ret.   f2: 7 jump 7
    let f0 = [call(1), cover(0), RET];
    let f1 = [branch(4, 6), call(1), RET, RET];
    let f2 = [Inst::Jump { target: 7 }];
    let d = Distances::new(&module(&[&f0, &f1, &f2], 1));
    assert_eq!(d.of(0, []), near(3, 0));
    assert_eq!(d.of(4, [1]), near(4, 0));
    assert_eq!(d.of(5, [5, 5, 1]), near(3, 0));
    assert_eq!(d.of(7, [1]), Near::NONE);
}

/// Repair after each covering must give what a fresh analysis gives.
#[test]
fn incremental_equals_from_scratch() {
    let mut random = testkit::Random::new(1);
    let mut below = |n: u32| random.below(n.into()) as u32;
    for _ in 0..20 {
        // Three functions of twelve blocks [cover, nop or call, branch or ret].
        let (blocks, mut functions) = (12, Vec::new());
        for f in 0..3 {
            let mut code = Vec::new();
            for b in 0..blocks {
                let at = |n: u32| (f * blocks + n) * 3;
                code.push(cover(f * blocks + b));
                code.push(if below(3) == 0 { call(below(3)) } else { NOP });
                let (then, other) = (1 + below(blocks - 1), 1 + below(blocks - 1));
                code.push(if below(5) == 0 {
                    RET
                } else {
                    branch(at(then), at(other))
                });
            }
            functions.push(code);
        }
        let functions: Vec<&[Inst]> = functions.iter().map(|f| &f[..]).collect();
        let m = module(&functions, 3 * blocks);
        let (graph, edges) = Graph::new(&m);
        let sites: Vec<SiteId> = graph.blocks.iter().map(|b| b.site).collect();
        let mut covered = vec![false; m.sites.len()];
        let mut d = Nearest::new(sites.clone(), &edges, covered.clone());
        for _ in 0..30 {
            let site = below(3 * blocks);
            d.mark_covered(site);
            covered[site as usize] = true;
            let scratch = Nearest::new(sites.clone(), &edges, covered.clone());
            let distances = |d: &Nearest| {
                let all = (0..sites.len() as u32).map(|b| d.of(b).distance);
                all.collect::<Vec<_>>()
            };
            assert_eq!(distances(&d), distances(&scratch));
        }
    }
}
