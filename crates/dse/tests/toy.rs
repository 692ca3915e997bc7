//! The loop over a target made of terms alone.

use polypath_dse::{
    Conditions, Cut, Decision, Divergence, Executed, Explorer, ExplorerOptions, Holder, Input,
    OpenSide, Part, PartialLimits, PartialOptions, Quota, Retraced, Target, Ticket,
};
use search::{registry::strategies, strategy};
use solver::{
    Ask, Budget, Model, Origin, Outcome, PathCondition, Reasoner, Solver, SolverOptions, Technique,
    TheoryKind, TraceSet, Trials,
};
use std::collections::BTreeSet;
use term::{Evaluator, Pool, PortableTerms, Sort, Symbol, Term};

/// Decides on a condition at a site, and says which way the input goes.
type Decide<'a> = dyn FnMut(&mut Pool, u64, Term) -> bool + 'a;
/// Here only the condition that holds is a decision, as in a switch.
const CASES: u64 = 1000;
/// A program over four bytes; its result names the path.
type Program = fn(&mut Pool, &[Term], &mut Decide<'_>, u64) -> u32;

struct Toy {
    reason: Reasoner,
    bytes: Vec<Symbol>,
    program: Program,
    runs: u64,
    results: BTreeSet<u32>,
    limit: u64,
    /// Collect the terms before every this many runs, 0 for never.
    collect_every: u64,
    /// Memory is short at one of so many looks, 0 for never; how many looks there were.
    short_every: u64,
    looks: u64,
    /// One of so many runs finds memory full before its first decision, 0 for none; how many found it full of what is open,
    /// and of what they took themselves.
    full_every: u64,
    crowded: u64,
    lost: u64,
    /// Parts that were put aside, and how many there may be.
    kept: Vec<(Part, u64)>,
    most_kept: usize,
    /// How often it heard that a run went elsewhere.
    told: u64,
    /// Some runs end with the exploration, wherever they are.
    ends: Option<testkit::Random>,
}

impl Toy {
    fn new(program: Program) -> Toy {
        Toy::with(program, SolverOptions::default())
    }

    fn with(program: Program, options: SolverOptions) -> Toy {
        let mut reason = Reasoner::new(Solver::new(options));
        let bytes = (0..4)
            .map(|i| reason.pool.new_symbol(&format!("b{i}"), Sort::BitVec(8)))
            .collect();
        Toy {
            reason,
            bytes,
            program,
            runs: 0,
            results: BTreeSet::new(),
            limit: 10_000,
            collect_every: 0,
            short_every: 0,
            looks: 0,
            full_every: 0,
            crowded: 0,
            lost: 0,
            kept: Vec::new(),
            most_kept: usize::MAX,
            told: 0,
            ends: None,
        }
    }
}

impl Target for Toy {
    fn starts(&self) -> usize {
        1
    }

    fn first_input(&self, _: usize) -> Model {
        Model::new()
    }

    fn run(&mut self, input: &Input, quota: Quota) -> Executed {
        self.runs += 1;
        if self.full_every > 0 && self.runs > 1 && self.runs.is_multiple_of(self.full_every) {
            let count = if quota.may_come_back {
                &mut self.crowded
            } else {
                &mut self.lost
            };
            *count += 1;
            return Executed {
                values: input.values.clone(),
                cut: Some(if quota.may_come_back {
                    Cut::Crowded
                } else {
                    Cut::Lost
                }),
                ..Executed::default()
            };
        }
        let Toy {
            reason,
            bytes,
            program,
            ..
        } = self;
        let Reasoner { pool, solver, .. } = reason;
        let terms: Vec<Term> = bytes.iter().map(|&s| pool.symbol_term(s)).collect();
        let mut path = PathCondition::new();
        let mut decisions = Vec::new();
        let mut conditions = Conditions::default();
        let mut evaluator = Evaluator::default();
        let mut ask = |pool: &mut Pool, site: u64, cond: Term| {
            if let Some(known) = pool.as_const(cond) {
                return known != 0;
            }
            let side = evaluator.eval(pool, cond, &input.values) != 0;
            if site == CASES && !side {
                return false;
            }
            let negated = pool.not(cond);
            let (taken, other) = if side {
                (cond, negated)
            } else {
                (negated, cond)
            };
            conditions.note(&path);
            decisions.push(Decision {
                site,
                taken,
                other,
                before: path.len(),
                step: decisions.len() as u64 + 1,
                origin: Origin::Branch,
                near: search::Near::NONE,
                is_known: false,
                can_wait: false,
            });
            solver.push(pool, &mut path, taken, Origin::Branch);
            side
        };
        let result = program(pool, &terms, &mut ask, self.runs);
        conditions.finish(&path);
        if let Some(random) = &mut self.ends
            && random.index(3) == 0
        {
            decisions.truncate(random.index(decisions.len() + 1));
            return Executed {
                decisions,
                conditions,
                values: input.values.clone(),
                cut: Some(Cut::End),
                ..Executed::default()
            };
        }
        Executed {
            decisions,
            conditions,
            values: input.values.clone(),
            newly_covered: self
                .results
                .insert(result)
                .then_some(0)
                .into_iter()
                .collect(),
            steps: 0,
            cut: None,
        }
    }

    fn retrace(&mut self, input: &Input, step: u64, decisions: usize) -> Retraced {
        let (runs, results) = (self.runs, self.results.clone());
        let quota = Quota {
            steps: 0,
            is_last: true,
            may_come_back: false,
        };
        let full_every = std::mem::take(&mut self.full_every);
        let ends = self.ends.take();
        let mut executed = self.run(input, quota);
        (self.runs, self.results, self.full_every) = (runs, results, full_every);
        self.ends = ends;
        assert!(step >= decisions as u64);
        executed.decisions.truncate(decisions);
        Retraced::Here(executed)
    }

    fn diverged(&mut self, _: &Input, _: Divergence) {
        self.told += 1;
    }

    fn reason(&self) -> &Reasoner {
        &self.reason
    }

    fn reason_mut(&mut self) -> &mut Reasoner {
        &mut self.reason
    }

    fn solve(
        &mut self,
        before: &PathCondition,
        witness: &Model,
        cond: Term,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        let ask = Ask::new(before, witness, budget).heard_by(trials);
        self.reason.feasible(cond, ask)
    }

    fn wants_collection(&self) -> bool {
        self.collect_every > 0 && self.runs.is_multiple_of(self.collect_every)
    }

    fn collect(&mut self, holder: &mut Holder<'_>) {
        let kept = &mut self.kept;
        self.reason.collect(&mut |visit| {
            let mut paths = TraceSet::new();
            for (part, _) in &mut *kept {
                if let Part::Path { sides, .. } = part {
                    let terms = sides.iter_mut().flat_map(|side| &mut side.others);
                    terms.flat_map(|(a, b)| [a, b]).for_each(&mut *visit);
                }
            }
            holder(&mut paths, visit);
        });
    }

    fn must_end(&mut self) -> Option<String> {
        (self.runs >= self.limit).then(|| "runs".to_string())
    }

    fn memory_is_short(&mut self) -> bool {
        self.looks += 1;
        self.short_every > 0 && self.looks.is_multiple_of(self.short_every)
    }

    fn keep(&mut self, part: &Part, key: u64) -> bool {
        let has_room = self.kept.len() < self.most_kept;
        if has_room {
            self.kept.push((part.clone(), key));
        }
        has_room
    }

    fn kept(&mut self) -> Option<(Part, Ticket)> {
        let (part, key) = self.kept.pop()?;
        let is_told = false;
        Some((part, Ticket { key, is_told }))
    }

    fn open_branches(&mut self, _: usize) {}
}

/// 3 x 3 x 3 comparisons, then a sum: infeasible combinations among them.
fn classes(pool: &mut Pool, b: &[Term], ask: &mut Decide<'_>, _: u64) -> u32 {
    let mut result = 0;
    for (i, &x) in b.iter().take(3).enumerate() {
        let (low, high) = (pool.bv(8, 50), pool.bv(8, 200));
        let c = pool.ult(x, low);
        let mut class = 0;
        if !ask(pool, 10 * i as u64, c) {
            let c = pool.ult(x, high);
            class = if ask(pool, 10 * i as u64 + 1, c) {
                1
            } else {
                2
            };
        }
        result = 3 * result + class;
    }
    let wide: Vec<Term> = b.iter().take(3).map(|&x| pool.zext(16, x)).collect();
    let sum = pool.add(wide[0], wide[1]);
    let sum = pool.add(sum, wide[2]);
    let bound = pool.bv(16, 600);
    let c = pool.ugt(sum, bound);
    2 * result + u32::from(ask(pool, 99, c))
}

/// The results over all inputs, at a grid that meets every class.
fn expected() -> BTreeSet<u32> {
    let values = [0u32, 49, 50, 150, 199, 200, 255];
    let mut all = BTreeSet::new();
    for x in values {
        for y in values {
            for z in values {
                let class = |v| u32::from(v >= 50) + u32::from(v >= 200);
                let r = 9 * class(x) + 3 * class(y) + class(z);
                all.insert(2 * r + u32::from(x + y + z > 600));
            }
        }
    }
    all
}

/// None of the solver's trials, all of them, and nearly none of them from all.
fn partials() -> [PartialOptions; 3] {
    let all = PartialOptions::from(Technique::ALL);
    let limits = PartialLimits {
        tried: 2,
        kept: 1,
        waiting: 1,
        is_always_asked: true,
    };
    let few = PartialOptions {
        limits,
        ..all.clone()
    };
    [PartialOptions::default(), all, few]
}

#[test]
fn every_strategy_finds_every_path_once() {
    let expected = expected();
    for entry in strategies() {
        for partial in partials() {
            for collect_every in [0, 3] {
                let mut toy = Toy::new(classes);
                toy.collect_every = collect_every;
                let options = ExplorerOptions {
                    partial: partial.clone(),
                    ..ExplorerOptions::default()
                };
                let strategy = strategy(entry.name, 1).unwrap();
                let mut loop_ = Explorer::new(&toy, strategy, Vec::new(), options);
                assert_eq!(loop_.explore(&mut toy), None, "{}", entry.name);
                assert_eq!(toy.results, expected, "{}", entry.name);
                let stats = &loop_.stats;
                assert_eq!(stats.paths, stats.runs, "{}: {stats:?}", entry.name);
                assert_eq!(stats.paths, expected.len() as u64, "{}", entry.name);
                assert_eq!((stats.divergences, loop_.open()), (0, 0), "{}", entry.name);
            }
        }
    }
}

/// What is put aside while memory is short comes back, and is explored once; where there is no room for it, that is counted.
#[test]
fn what_memory_drives_out_comes_back() {
    let programs: [(Program, BTreeSet<u32>); 4] = [
        (cases, (0..256).collect()),
        (classes, expected()),
        (switch, (0..=12).collect()),
        (chain, (0..=6).collect()),
    ];
    for entry in strategies() {
        for (program, all) in &programs {
            for (short_every, most_kept) in [(1, usize::MAX), (3, usize::MAX), (3, 1)] {
                let mut toy = Toy::new(*program);
                (toy.short_every, toy.most_kept) = (short_every, most_kept);
                let strategy = strategy(entry.name, 1).unwrap();
                let options = ExplorerOptions::default();
                let mut explorer = Explorer::new(&toy, strategy, Vec::new(), options);
                assert_eq!(explorer.explore(&mut toy), None, "{}", entry.name);
                let stats = &explorer.stats;
                assert_eq!((stats.divergences, explorer.open()), (0, 0), "{stats:?}");
                assert_eq!(stats.paths, stats.runs, "{}: {stats:?}", entry.name);
                let found_all = toy.results == *all && stats.paths == all.len() as u64;
                assert_eq!(found_all, stats.dropped == 0, "{}: {stats:?}", entry.name);
                assert!(found_all || most_kept == 1, "{}: {stats:?}", entry.name);
            }
        }
    }
}

/// A run that memory had no room for comes back while there is something that can go, and is lost else: no divergence either way.
#[test]
fn what_memory_ends_comes_back_or_is_lost() {
    for entry in strategies() {
        for full_every in [2, 5] {
            let mut toy = Toy::new(classes);
            toy.full_every = full_every;
            let strategy = strategy(entry.name, 1).unwrap();
            let options = ExplorerOptions::default();
            let mut explorer = Explorer::new(&toy, strategy, Vec::new(), options);
            assert_eq!(explorer.explore(&mut toy), None, "{}", entry.name);
            let stats = &explorer.stats;
            assert_eq!((stats.divergences, explorer.open()), (0, 0), "{stats:?}");
            assert_eq!(stats.runs, toy.runs - toy.crowded, "{stats:?}");
            assert_eq!(stats.paths + toy.lost, stats.runs, "{stats:?}");
            assert!(toy.crowded > 0, "{}", entry.name);
            let all = expected();
            assert!(toy.results.is_subset(&all));
            assert_eq!(toy.results == all, toy.lost == 0, "{}", entry.name);
        }
    }
}

/// A switch: its default is what no case takes.
fn switch(pool: &mut Pool, b: &[Term], ask: &mut Decide<'_>, _: u64) -> u32 {
    for n in 0..12u32 {
        let value = pool.bv(8, u64::from(n) * 7);
        let case = pool.eq(b[0], value);
        // As the machine does: one decision, on the case that the input takes.
        let here = pool.as_const(case).is_none();
        if here && ask(pool, 5, case) {
            return n;
        }
    }
    12
}

#[test]
fn a_query_opens_several_paths_when_its_trials_are_run() {
    let mut calls = Vec::new();
    for techniques in [&[], Technique::ALL] {
        let mut toy = Toy::new(chain);
        let options = ExplorerOptions {
            partial: techniques.into(),
            ..ExplorerOptions::default()
        };
        let dfs = strategy("dfs", 1).unwrap();
        let mut loop_ = Explorer::new(&toy, dfs, Vec::new(), options);
        assert_eq!(loop_.explore(&mut toy), None);
        assert_eq!(toy.results.len(), 7);
        calls.push((loop_.stats.sat, loop_.stats.queries_saved));
    }
    // The number of satisfiable queries that it takes, and what the trials spared.
    let ((plain, none), (multiplexed, spared)) = (calls[0], calls[1]);
    assert_eq!((plain, none), (6, 0));
    assert!(spared > 0, "{calls:?}");
    assert_eq!(multiplexed + spared, plain, "{calls:?}");
}

/// A hash of more and more bytes; its low bits decide.
fn hashes(pool: &mut Pool, b: &[Term], ask: &mut Decide<'_>, _: u64) -> u32 {
    let factor = pool.bv(16, 0x193);
    let mut h = pool.bv(16, 0x811c);
    let mut way = 1;
    for (i, &byte) in b.iter().enumerate() {
        let byte = pool.zext(16, byte);
        h = pool.xor(h, byte);
        h = pool.mul(h, factor);
        let mask = pool.bv(16, 3);
        let low = pool.and(h, mask);
        let one = pool.bv(16, 1);
        let is_one = pool.eq(low, one);
        way = 2 * way + u32::from(ask(pool, i as u64, is_one));
    }
    way
}

#[test]
fn neighbours_take_branches_instead_of_the_solver() {
    let mut calls = Vec::new();
    for techniques in [&[][..], &[Technique::Neighbour]] {
        let mut toy = Toy::new(hashes);
        let options = ExplorerOptions {
            partial: techniques.into(),
            ..ExplorerOptions::default()
        };
        let bfs = strategy("bfs", 1).unwrap();
        let mut loop_ = Explorer::new(&toy, bfs, Vec::new(), options);
        assert_eq!(loop_.explore(&mut toy), None);
        assert_eq!(toy.results.len(), 16);
        assert_eq!(loop_.stats.paths, 16);
        calls.push((loop_.stats.queries, loop_.stats.queries_saved));
    }
    let [(plain, none), (asked, saved)] = calls[..] else {
        panic!("two explorations");
    };
    assert_eq!((plain, none), (15, 0));
    // The first byte's branch, which depends on nothing else, is left to the solver.
    assert_eq!(asked + saved, plain, "{calls:?}");
    assert!((1..=7).contains(&asked), "{calls:?}");
}

/// The motivating example of "Multiplex symbolic execution" (Fig. 2): four paths between three lines.
fn lines(pool: &mut Pool, b: &[Term], ask: &mut Decide<'_>, _: u64) -> u32 {
    let (x, y) = (pool.zext(32, b[0]), pool.zext(32, b[1]));
    let [zero, one, two] = [0, 1, 2].map(|k| pool.bv(32, k));
    let sum = pool.add(x, y);
    let c = pool.sge(sum, two);
    if !ask(pool, 2, c) {
        return 4;
    }
    let double = pool.mul(two, y);
    let difference = pool.sub(double, x);
    let c = pool.sge(difference, one);
    if !ask(pool, 3, c) {
        return 3;
    }
    let double = pool.mul(two, x);
    let difference = pool.sub(double, y);
    let c = pool.sge(difference, zero);
    if ask(pool, 4, c) { 2 } else { 1 }
}

/// Section 2: from {x = 1, y = 3} depth first, a black box is asked three times; the simplex, which begins at
/// {x = 0, y = 0}, passes through the other paths on its way, so one question opens all.
#[test]
fn one_solve_opens_all_paths_of_the_motivating_example() {
    let mut calls = Vec::new();
    for techniques in [&[], Technique::ALL] {
        let theory = TheoryKind::Lia;
        let mut toy = Toy::with(
            lines,
            SolverOptions {
                theory,
                ..SolverOptions::default()
            },
        );
        let options = ExplorerOptions {
            partial: techniques.into(),
            ..ExplorerOptions::default()
        };
        let mut values = Model::new();
        values.set(toy.bytes[0], 1);
        values.set(toy.bytes[1], 3);
        let dfs = strategy("dfs", 1).unwrap();
        let seed = Input { start: 0, values };
        let mut loop_ = Explorer::new(&toy, dfs, vec![seed], options);
        assert_eq!(loop_.explore(&mut toy), None);
        assert_eq!(toy.results, (1..=4).collect());
        assert_eq!((loop_.stats.paths, loop_.stats.runs), (4, 4));
        calls.push((loop_.stats.queries, loop_.stats.queries_saved));
    }
    assert_eq!(calls, [(3, 0), (1, 2)]);
}

/// Nested bounds on one byte: what refutes an inner one is a solution of an outer one.
fn chain(pool: &mut Pool, b: &[Term], ask: &mut Decide<'_>, _: u64) -> u32 {
    for n in 0..6u32 {
        let bound = pool.bv(8, u64::from(200 - 30 * n));
        let c = pool.ult(b[0], bound);
        if !ask(pool, u64::from(n), c) {
            return n;
        }
        let far = pool.bv(8, 230);
        let c = pool.ugt(b[0], far);
        if ask(pool, 100 + u64::from(n), c) {
            return 100;
        }
    }
    6
}

#[test]
fn cases_of_one_place_are_all_found() {
    let mut toy = Toy::new(switch);
    let dfs = strategy("dfs", 1).unwrap();
    let mut loop_ = Explorer::new(&toy, dfs, Vec::new(), ExplorerOptions::default());
    assert_eq!(loop_.explore(&mut toy), None);
    assert_eq!(toy.results, (0..=12).collect());
}

/// Changes its mind from run to run.
fn moody(pool: &mut Pool, b: &[Term], ask: &mut Decide<'_>, run: u64) -> u32 {
    let five = pool.bv(8, 5);
    let c = pool.eq(b[(run % 3) as usize], five);
    u32::from(ask(pool, run % 3, c))
}

#[test]
fn a_target_that_is_not_deterministic_is_noticed_and_survived() {
    let mut toy = Toy::new(moody);
    toy.limit = 50;
    let bfs = strategy("bfs", 1).unwrap();
    let mut loop_ = Explorer::new(&toy, bfs, Vec::new(), ExplorerOptions::default());
    loop_.explore(&mut toy);
    assert!(loop_.stats.divergences > 0);
    assert_eq!(toy.told, loop_.stats.divergences);
}

/// Decides in its first run only.
fn forgetful(pool: &mut Pool, b: &[Term], ask: &mut Decide<'_>, run: u64) -> u32 {
    if run > 1 {
        return 0;
    }
    let five = pool.bv(8, 5);
    let decided = b.iter().enumerate().map(|(i, &x)| {
        let is_five = pool.eq(x, five);
        u32::from(ask(pool, i as u64, is_five)) << i
    });
    decided.sum()
}

#[test]
fn a_part_whose_input_does_not_come_there_again_is_told() {
    let explorer = |toy: &Toy| {
        let dfs = strategy("dfs", 1).unwrap();
        Explorer::new(toy, dfs, Vec::new(), ExplorerOptions::default())
    };
    let mut giver = Toy::new(forgetful);
    giver.limit = 1;
    let mut from = explorer(&giver);
    from.explore(&mut giver);
    let parts = from.give(10);
    assert!(!parts.is_empty());
    let mut taker = Toy::new(forgetful);
    taker.runs = 1;
    let mut to = explorer(&taker);
    for (key, part) in parts.into_iter().enumerate() {
        let part = carried(part, &giver, &mut taker);
        to.adopt(part, key as u64);
    }
    to.explore(&mut taker);
    assert!(taker.told > 0, "{:?}", to.stats);
    assert!(to.stats.divergences >= taker.told, "{:?}", to.stats);
}

#[test]
fn what_is_not_decided_is_parked_and_taken_up_again() {
    let mut toy = Toy::new(hash);
    let options = ExplorerOptions {
        first_effort: 1,
        ..ExplorerOptions::default()
    };
    let dfs = strategy("dfs", 1).unwrap();
    let mut loop_ = Explorer::new(&toy, dfs, Vec::new(), options);
    assert_eq!(loop_.explore(&mut toy), None);
    assert_eq!(toy.results.len(), 2);
    assert!(loop_.stats.unknown > 0, "{:?}", loop_.stats);
    assert_eq!(loop_.stats.parked.values().sum::<u64>(), 0);
}

/// A product of two sums over all bytes.
fn hash(pool: &mut Pool, b: &[Term], ask: &mut Decide<'_>, _: u64) -> u32 {
    let wide: Vec<Term> = b.iter().map(|&x| pool.zext(32, x)).collect();
    let (x, y) = (pool.mul(wide[0], wide[1]), pool.mul(wide[2], wide[3]));
    let x = pool.xor(x, y);
    let k = pool.bv(32, 0x9E37_79B1);
    let x = pool.mul(x, k);
    let (m, want) = (pool.bv(32, 0xffff), pool.bv(32, 0x35ee));
    let low = pool.and(x, m);
    let c = pool.eq(low, want);
    u32::from(ask(pool, 1, c))
}

/// A part of what one target has left, in the terms of another one.
fn carried(part: Part, from: &Toy, to: &mut Toy) -> Part {
    let values = |values: &Model| {
        let mut there = Model::new();
        for (&a, &b) in from.bytes.iter().zip(&to.bytes) {
            there.set(b, values.get(a));
        }
        there
    };
    match part {
        Part::Inputs {
            start,
            inputs,
            is_first,
        } => Part::Inputs {
            start,
            inputs: inputs.iter().map(values).collect(),
            is_first,
        },
        Part::Path {
            input,
            sides,
            cutoff,
            step,
        } => {
            let values = values(&input.values);
            let side = |side: OpenSide| {
                let terms: Vec<Term> = side.others.iter().flat_map(|&(a, b)| [a, b]).collect();
                let sent = PortableTerms::of(&from.reason.pool, &terms);
                let named = |name: &str| {
                    let same = |&b: &Symbol| from.reason.pool.symbol_name(b) == name;
                    Some(to.bytes[from.bytes.iter().position(same)?])
                };
                let terms = sent.rebuild(&mut to.reason.pool, &named).unwrap();
                OpenSide {
                    others: terms.chunks(2).map(|two| (two[0], two[1])).collect(),
                    ..side
                }
            };
            Part::Path {
                sides: sides.into_iter().map(side).collect(),
                input: Input {
                    start: input.start,
                    values,
                },
                cutoff,
                step,
            }
        }
    }
}

/// Two switches without a default, and a branch behind each.
fn cases(pool: &mut Pool, b: &[Term], ask: &mut Decide<'_>, _: u64) -> u32 {
    let (mask, low) = (pool.bv(8, 7), pool.bv(8, 100));
    let mut result = 0;
    for (i, &x) in b.iter().take(2).enumerate() {
        let kind = pool.and(x, mask);
        let case = (0..8).find(|&n| {
            let value = pool.bv(8, n);
            let case = pool.eq(kind, value);
            ask(pool, CASES, case)
        });
        let c = pool.ult(b[i + 2], low);
        let side = ask(pool, i as u64, c);
        let case = case.expect("one of them holds") as u32;
        result = 16 * result + 2 * case + u32::from(side);
    }
    result
}

/// Explorers that give each other work at random, some of which die and leave what they had: together they do what one does,
/// each path once.
#[test]
fn explorers_that_share_find_every_path_once() {
    let programs: [(Program, BTreeSet<u32>); 4] = [
        (cases, (0..256).collect()),
        (classes, expected()),
        (switch, (0..=12).collect()),
        (chain, (0..=6).collect()),
    ];
    let techniques: [&[Technique]; 2] = [&[], Technique::ALL];
    for (seed, (program, all)) in
        (0..60u64).flat_map(|seed| programs.iter().map(move |p| (seed, p)))
    {
        let mut random = testkit::Random::new(seed);
        let n = 2 + random.index(3);
        // Runs are stopped in the midst, and their explorers die then or go on.
        let has_ends = seed % 4 > 1;
        let explorer = |seed: u64| {
            let options = ExplorerOptions {
                partial: techniques[seed as usize % 2].into(),
                ..ExplorerOptions::default()
            };
            Explorer::shared(1, strategy("random", seed).unwrap(), options)
        };
        let mut toys: Vec<Toy> = (0..n).map(|_| Toy::new(*program)).collect();
        for (i, toy) in toys.iter_mut().enumerate() {
            // Others have other numbers for the same bytes.
            let more: Vec<Symbol> = (0..4)
                .map(|j| {
                    toy.reason
                        .pool
                        .new_symbol(&format!("b{i}{j}"), Sort::BitVec(8))
                })
                .collect();
            if i > 0 {
                toy.bytes = more.into_iter().rev().collect();
            }
            toy.collect_every = 7;
            if has_ends {
                toy.ends = Some(testkit::Random::new(seed + i as u64));
            }
        }
        let mut explorers: Vec<Explorer> = (0..n as u64).map(|i| explorer(seed + i)).collect();
        // Inputs that may share paths.
        let seeds: Vec<Input> = (0..if seed % 3 == 0 { 6 } else { 0 })
            .map(|_| {
                let mut values = Model::new();
                for &byte in &toys[0].bytes {
                    values.set(byte, random.below(256));
                }
                Input { start: 0, values }
            })
            .collect();
        let has_seeds = !seeds.is_empty();
        for part in Part::first(std::iter::once(Model::new()), seeds) {
            explorers[0].adopt(part, 0);
        }
        let (mut paths, mut runs) = (0, 0);
        for step in 0.. {
            assert!(step < 100_000, "it does not end");
            let (from, to) = (random.index(n), random.index(n));
            if from != to && random.index(3) == 0 {
                let parts = if random.index(8) == 0 {
                    // It dies: what it has is all in its parts.
                    let mut parts = Vec::new();
                    explorers[from].each_part(&mut |_, part| parts.push(part()));
                    let stats = &explorers[from].stats;
                    assert_eq!(stats.divergences, 0, "{stats:?}");
                    (paths, runs) = (paths + stats.paths, runs + stats.runs);
                    explorers[from] = explorer(seed + step);
                    parts
                } else {
                    explorers[from].give(1 + random.index(4))
                };
                for part in parts {
                    let (a, b) = (from.min(to), from.max(to));
                    let (low, high) = toys.split_at_mut(b);
                    let (low, high) = (&mut low[a], &mut high[0]);
                    let part = if from < to {
                        carried(part, low, high)
                    } else {
                        carried(part, high, low)
                    };
                    explorers[to].adopt(part, 0);
                }
            }
            explorers[from].step(&mut toys[from]);
            if explorers.iter().all(|e| e.live() == 0 && !e.has_parked()) {
                break;
            }
        }
        for explorer in &explorers {
            let stats = &explorer.stats;
            assert_eq!(
                (stats.divergences, explorer.open()),
                (0, 0),
                "{seed}: {stats:?}"
            );
            (paths, runs) = (paths + stats.paths, runs + stats.runs);
        }
        let found: BTreeSet<u32> = toys.iter().flat_map(|toy| toy.results.clone()).collect();
        assert_eq!(&found, all, "{seed}");
        assert_eq!(paths, all.len() as u64, "{seed}");
        assert!(
            runs == paths || has_seeds || has_ends,
            "{seed}: {runs} runs"
        );
    }
}
