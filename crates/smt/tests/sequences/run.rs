//! Calls, the configuration they run in, and what each answer is compared with.

use super::space::{Points, Space};
use polypath_smt::ScriptSolver;
use solver::{
    ArrayMethod, Ask, Budget, Implication, LayerId, Model, Origin, Outcome, PathCondition, SatKind,
    SolverOptions, Technique, TheoryKind, TraceSet, Trials,
};
use std::collections::{BTreeSet, HashMap};
use term::{Evaluator, Pool, Term, Trace};
use testkit::Random as Rng;

/// Most paths at once.
const PATHS: usize = 6;
/// Conditions are made of this many seeds, so that they come again.
const CONDITIONS: u64 = 14;

/// A fault between solver and comparison, for the test of the fuzzer itself.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    FlipVerdict,
    DropFromCore,
    ShiftExtreme,
}

/// What a sequence runs in.
#[derive(Clone, Debug)]
pub struct Config {
    pub seed: u64,
    pub options: SolverOptions,
    pub fault: Option<Fault>,
}

impl Config {
    pub fn random(seed: u64) -> Config {
        let mut rng = Rng::new(seed ^ 0xc0f1);
        let mut options = SolverOptions {
            sat: SatKind::ALL[rng.below(SatKind::ALL.len() as u64) as usize].1,
            seed: rng.below(3),
            ..SolverOptions::default()
        };
        if rng.below(2) == 0 {
            let n = rng.below(ArrayMethod::ALL.len() as u64) as usize;
            options.arrays = ArrayMethod::ALL[n].1;
        }
        if rng.below(4) == 0 {
            options.theory = TheoryKind::Lia;
        }
        if rng.below(2) == 0 {
            let sparse = 2 + rng.below(3);
            for &layer in LayerId::ALL {
                if rng.below(sparse) > 0 || (layer == LayerId::Blast && rng.below(4) > 0) {
                    options.layers.push(layer);
                }
            }
            if options.layers.is_empty() {
                options.layers.push(LayerId::Blast);
            }
        }
        Config {
            seed,
            options,
            fault: None,
        }
    }

    /// The layers.
    pub fn layers(&self) -> Vec<LayerId> {
        if self.options.layers.is_empty() {
            LayerId::ALL.to_vec()
        } else {
            self.options.layers.clone()
        }
    }

    /// With one layer less.
    pub fn without(&self, layer: LayerId) -> Config {
        let mut fewer = self.clone();
        fewer.options.layers = self.layers();
        fewer.options.layers.retain(|&l| l != layer);
        if fewer.options.layers.is_empty() {
            return self.clone();
        }
        fewer
    }

    fn decides(&self) -> bool {
        self.layers().contains(&LayerId::Blast)
    }
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// As the executor does at a branch: the condition or its negation, whichever is feasible.
    Push,
    /// Without a question: the path may have no model afterwards.
    Assume,
    Feasible,
    MustBeTrue,
    CheapBounds,
    Bounds,
    Minimum,
    Maximum,
    Values,
    Solve,
    SolveOnce,
    Prefer,
    Fork,
    Drop,
    Collect,
    CollectUnseen,
    Shed,
}

const WHATS: &[What] = &[
    What::Push,
    What::Push,
    What::Push,
    What::Push,
    What::Assume,
    What::Feasible,
    What::Feasible,
    What::Feasible,
    What::MustBeTrue,
    What::CheapBounds,
    What::Bounds,
    What::Minimum,
    What::Maximum,
    What::Values,
    What::Solve,
    What::SolveOnce,
    What::Prefer,
    What::Fork,
    What::Fork,
    What::Drop,
    What::Collect,
    What::CollectUnseen,
    What::Shed,
];

/// One call with its own randomness.
#[derive(Clone, Debug)]
pub struct Call {
    pub what: What,
    path: usize,
    condition: u64,
    seed: u64,
    /// Little to spend?
    is_short: bool,
    listens: bool,
}

impl Call {
    pub fn random(rng: &mut Rng) -> Call {
        Call {
            what: WHATS[rng.below(WHATS.len() as u64) as usize],
            path: rng.below(PATHS as u64) as usize,
            condition: rng.below(CONDITIONS),
            seed: rng.next(),
            is_short: rng.below(4) == 0,
            listens: rng.below(2) == 0,
        }
    }

    fn budget(&self) -> Budget {
        let mut rng = Rng::new(self.seed ^ 0xb0d9);
        let seconds = f64::INFINITY;
        if !self.is_short {
            Budget {
                seconds,
                ..Budget::default()
            }
        } else {
            Budget {
                conflicts: rng.below(30),
                effort: [0, 1000, 100_000, u64::MAX][rng.below(4) as usize],
                evaluations: rng.below(20),
                until: None,
                stop: host::Stop::never(),
                seconds: if rng.below(8) == 0 { 0.0 } else { seconds },
            }
        }
    }
}

/// A path with what brute force knows about it.
#[derive(Clone)]
struct Path {
    pc: PathCondition,
    /// Where each conjunct holds, by position.
    conjuncts: Vec<Points>,
    points: Points,
    witness: Option<Model>,
}

/// Listens and evaluates, as receivers do.
struct Listener {
    wanted: bool,
    tried: u64,
}

impl Trials for Listener {
    fn tried(&mut self, _: &Model, _: Technique) {
        self.tried += 1;
    }

    fn wanted(&self) -> bool {
        self.wanted
    }
}

struct World<'a> {
    config: &'a Config,
    pool: Pool,
    space: Space,
    solver: ScriptSolver,
    paths: Vec<Path>,
    known: HashMap<(u64, bool), Points>,
}

/// Runs the calls; what is wrong ends them.
pub fn run(config: &Config, calls: &[Call]) -> Result<(), String> {
    let mut pool = Pool::new();
    let space = Space::new(&mut pool, &mut Rng::new(config.seed ^ 0x5bace));
    let all: Points = vec![true; space.points() as usize].into();
    let first = Path {
        pc: PathCondition::new(),
        conjuncts: vec![],
        points: all,
        witness: Some(Model::new()),
    };
    let mut world = World {
        config,
        solver: ScriptSolver::new(config.options.clone()),
        paths: vec![first],
        known: HashMap::new(),
        pool,
        space,
    };
    for (k, call) in calls.iter().enumerate() {
        world
            .step(call)
            .map_err(|why| format!("call {k} {:?}: {why}", call.what))?;
        if world.solver.base.stats().models_rejected > 0 {
            return Err(format!("call {k} {:?}: a model was rejected", call.what));
        }
    }
    Ok(())
}

impl World<'_> {
    fn step(&mut self, call: &Call) -> Result<(), String> {
        let at = call.path % self.paths.len();
        let path = self.paths[at].clone();
        match (call.what, &path.witness) {
            (What::Fork, _) => {
                if self.paths.len() < PATHS {
                    self.paths.push(path);
                }
            }
            (What::Drop, _) if self.paths.len() > 1 => {
                self.paths.swap_remove(at);
            }
            (What::Drop, _) => {}
            (What::Collect, _) => self.collect(true),
            (What::CollectUnseen, _) => self.collect(false),
            (What::Shed, _) => self.solver.base.shed(),
            (What::Assume, _) => {
                let (condition, points) = self.condition(call.condition, false);
                self.push(at, condition, points, Origin::Assume);
            }
            (What::Solve | What::SolveOnce, _) => self.solve(at, &path, call)?,
            (_, None) => {} // everything else needs a witness
            (What::Push, Some(witness)) => self.branch(at, &path, witness, call)?,
            (What::Feasible, Some(witness)) => {
                let (condition, points) = self.condition(call.condition, call.seed & 1 == 1);
                let outcome = self.ask(&path, witness, condition, call);
                self.judge(&path, condition, &points, &outcome, call)?;
            }
            (What::MustBeTrue, Some(witness)) => self.must(&path, witness, call)?,
            (What::Prefer, Some(witness)) => self.prefer(&path, witness, call)?,
            (What::Values, Some(witness)) => self.values(&path, witness, call)?,
            (_, Some(witness)) => self.extremes(&path, witness, call)?,
        }
        Ok(())
    }

    /// The condition of a seed, or its negation, and where it holds.
    fn condition(&mut self, seed: u64, negated: bool) -> (Term, Points) {
        let mut rng = Rng::new(self.config.seed.wrapping_mul(31) ^ seed);
        let depth = 1 + rng.below(3) as u32;
        let mut condition = self.space.condition(&mut self.pool, &mut rng, depth);
        if negated {
            condition = self.pool.not(condition);
        }
        let points = match self.known.get(&(seed, negated)) {
            Some(points) => points.clone(),
            None => self.space.where_true(&self.pool, condition),
        };
        self.known.insert((seed, negated), points.clone());
        (condition, points)
    }

    fn push(&mut self, at: usize, condition: Term, points: Points, origin: Origin) {
        let path = &mut self.paths[at];
        self.solver
            .base
            .push(&mut self.pool, &mut path.pc, condition, origin);
        if path.pc.len() > path.conjuncts.len() {
            path.conjuncts.push(points.clone());
        }
        path.points = both(&path.points, &points);
        // A witness that does not fit any more is replaced by brute force.
        let holds = |m: &Model| Evaluator::new().eval(&self.pool, condition, m) == 1;
        if !path.witness.as_ref().is_some_and(holds) {
            let point = path.points.iter().position(|&holds| holds);
            path.witness = point.map(|p| self.space.model(&self.pool, p as u64));
        }
    }

    fn ask(&mut self, path: &Path, witness: &Model, condition: Term, call: &Call) -> Outcome {
        let mut listener = Listener {
            wanted: call.listens,
            tried: 0,
        };
        let (budget, pool) = (call.budget(), &mut self.pool);
        let mut outcome = self.solver.base.feasible(
            pool,
            condition,
            Ask::new(&path.pc, witness, &budget).heard_by(&mut listener),
        );
        match (self.config.fault, &mut outcome) {
            (Some(Fault::FlipVerdict), Outcome::Sat(_)) => outcome = Outcome::Unsat(vec![]),
            (Some(Fault::DropFromCore), Outcome::Unsat(core)) => {
                core.pop();
            }
            _ => {}
        }
        outcome
    }

    fn may_give_up(&self, call: &Call) -> bool {
        call.is_short || !self.config.decides()
    }

    fn is_model(&self, path: &Path, condition: Term, model: &Model) -> bool {
        let mut evaluator = Evaluator::new();
        let terms = path.pc.iter().map(|c| c.term);
        let mut all = terms.chain([condition]);
        all.all(|t| evaluator.eval(&self.pool, t, model) == 1)
    }

    fn judge(
        &self,
        path: &Path,
        condition: Term,
        points: &Points,
        outcome: &Outcome,
        call: &Call,
    ) -> Result<(), String> {
        let is_sat = any(&both(&path.points, points));
        match outcome {
            Outcome::Sat(_) if !is_sat => Err("sat, and there is no model".into()),
            Outcome::Sat(model) if !self.is_model(path, condition, model) => {
                Err("the model is wrong".into())
            }
            Outcome::Sat(_) => Ok(()),
            Outcome::Unsat(_) if is_sat => Err("unsat, and there is a model".into()),
            Outcome::Unsat(core) => {
                let mut left = points.clone();
                for term in core {
                    let mut conjuncts = path.pc.iter();
                    match conjuncts.position(|c| c.term == *term) {
                        Some(k) => left = both(&left, &path.conjuncts[k]),
                        None => return Err("the core has a condition from elsewhere".into()),
                    }
                }
                if any(&left) {
                    Err("the core is satisfiable".into())
                } else {
                    Ok(())
                }
            }
            Outcome::Unknown(_) if self.may_give_up(call) => Ok(()),
            Outcome::Unknown(why) => Err(format!("unknown: {why}")),
        }
    }

    fn branch(
        &mut self,
        at: usize,
        path: &Path,
        witness: &Model,
        call: &Call,
    ) -> Result<(), String> {
        let negated = call.seed & 1 == 1;
        let (condition, points) = self.condition(call.condition, negated);
        let outcome = self.ask(path, witness, condition, call);
        self.judge(path, condition, &points, &outcome, call)?;
        if let Outcome::Sat(model) = outcome {
            self.push(at, condition, points, Origin::Branch);
            self.paths[at].witness = Some(model);
        } else if matches!(outcome, Outcome::Unsat(_)) {
            let (other, points) = self.condition(call.condition, !negated);
            self.push(at, other, points, Origin::Branch);
        }
        Ok(())
    }

    fn must(&mut self, path: &Path, witness: &Model, call: &Call) -> Result<(), String> {
        let (condition, points) = self.condition(call.condition, call.seed & 1 == 1);
        let (budget, pool) = (call.budget(), &mut self.pool);
        let mut listener = Listener {
            wanted: call.listens,
            tried: 0,
        };
        let verdict = self.solver.base.must_be_true(
            pool,
            condition,
            Ask::new(&path.pc, witness, &budget).heard_by(&mut listener),
        );
        let implied = path.points.iter().zip(points.iter()).all(|(p, c)| !p || *c);
        let negation = self.pool.not(condition);
        match verdict {
            Implication::Yes if !implied => Err("yes, and it is not implied".into()),
            Implication::No(model) if implied || !self.is_model(path, negation, &model) => {
                Err("no, and the model is none".into())
            }
            Implication::Unknown(why) if !self.may_give_up(call) => Err(format!("unknown: {why}")),
            _ => Ok(()),
        }
    }

    fn solve(&mut self, at: usize, path: &Path, call: &Call) -> Result<(), String> {
        let (budget, pool) = (call.budget(), &mut self.pool);
        let mut listener = Listener {
            wanted: call.listens,
            tried: 0,
        };
        let outcome = match call.what {
            What::SolveOnce => self
                .solver
                .solve_once(pool, &path.pc, &budget, &mut listener),
            _ => self
                .solver
                .base
                .solve(pool, &path.pc, &budget, &mut listener),
        };
        let all: Points = vec![true; path.points.len()].into();
        self.judge(path, Term::TRUE, &all, &outcome, call)?;
        if let Outcome::Sat(model) = outcome {
            self.paths[at].witness = Some(model);
        }
        Ok(())
    }

    /// Each wish that can hold with those before must hold, when there is enough to spend.
    fn prefer(&mut self, path: &Path, witness: &Model, call: &Call) -> Result<(), String> {
        let mut wishes = Vec::new();
        let mut left = path.points.clone();
        let mut due = Vec::new();
        for k in 0..1 + call.seed % 4 {
            let seed = (call.condition + k) % CONDITIONS;
            let (condition, points) = self.condition(seed, call.seed >> k & 1 == 1);
            wishes.push(condition);
            let with = both(&left, &points);
            due.push(any(&with));
            if any(&with) {
                left = with;
            }
        }
        let (budget, pool) = (call.budget(), &mut self.pool);
        let model = self
            .solver
            .base
            .prefer(pool, &wishes, Ask::new(&path.pc, witness, &budget));
        if !self.is_model(path, Term::TRUE, &model) {
            return Err("not a model of the path".into());
        }
        let mut evaluator = Evaluator::new();
        for (k, (wish, due)) in wishes.iter().zip(due).enumerate() {
            let holds = evaluator.eval(&self.pool, *wish, &model) == 1;
            if holds != due && !self.may_give_up(call) {
                return Err(format!("wish {k} is {holds}, greedily it is {due}"));
            }
        }
        Ok(())
    }

    /// A term, and the values it takes on the path.
    fn term(&mut self, path: &Path, call: &Call) -> (Term, BTreeSet<u64>) {
        let mut rng = Rng::new(call.seed ^ 0x7e47);
        let width = [3, 8, 16, 64][rng.below(4) as usize];
        let depth = rng.below(3) as u32;
        let t = self.space.bits(&mut self.pool, &mut rng, width, depth);
        let values = self.space.values(&self.pool, t);
        let taken = values.iter().zip(path.points.iter());
        (t, taken.filter(|(_, p)| **p).map(|(v, _)| *v).collect())
    }

    fn values(&mut self, path: &Path, witness: &Model, call: &Call) -> Result<(), String> {
        let (t, expected) = self.term(path, call);
        let limit = 1 + (call.seed >> 8) as usize % 12;
        let (budget, pool) = (call.budget(), &mut self.pool);
        let mut listener = Listener {
            wanted: call.listens,
            tried: 0,
        };
        let found = self.solver.base.values(
            pool,
            t,
            limit,
            Ask::new(&path.pc, witness, &budget).heard_by(&mut listener),
        );
        let distinct: BTreeSet<u64> = found.values.iter().map(|v| v.0).collect();
        if distinct.len() != found.values.len() || found.values.len() > limit.max(1) {
            return Err("values come twice, or too many".into());
        }
        let mut evaluator = Evaluator::new();
        if found.values.first().map(|v| v.0) != Some(evaluator.eval(&self.pool, t, witness)) {
            return Err("the witness's value is not the first".into());
        }
        for (value, model) in &found.values {
            if !self.is_model(path, Term::TRUE, model)
                || evaluator.eval(&self.pool, t, model) != *value
            {
                return Err(format!("value {value} comes without its model"));
            }
        }
        if found.complete && found.values.len() < expected.len() {
            return Err(format!("complete, of {} values", expected.len()));
        }
        let all = expected.len().min(limit);
        if !self.may_give_up(call)
            && (found.values.len() < all || found.complete != (expected.len() <= limit))
        {
            return Err(format!(
                "{} values of {}",
                found.values.len(),
                expected.len()
            ));
        }
        Ok(())
    }

    fn extremes(&mut self, path: &Path, witness: &Model, call: &Call) -> Result<(), String> {
        let (t, expected) = self.term(path, call);
        let (Some(&least), Some(&most)) = (expected.first(), expected.last()) else {
            return Err("a witness without points".into());
        };
        let (budget, pool) = (call.budget(), &mut self.pool);
        let mut listener = Listener {
            wanted: call.listens,
            tried: 0,
        };
        let (solver, pc) = (&mut self.solver, &path.pc);
        if matches!(call.what, What::Bounds | What::CheapBounds) {
            let cheap = call.what == What::CheapBounds;
            let found = solver.base.bounds(
                pool,
                t,
                cheap,
                Ask::new(pc, witness, &budget).heard_by(&mut listener),
            );
            let is_exact = (found.lo, found.hi) == (least, most);
            return if found.lo > least || found.hi < most || (found.exact && !is_exact) {
                Err(format!(
                    "{found:?}, and the values go from {least} to {most}"
                ))
            } else if !cheap && !found.exact && !self.may_give_up(call) {
                Err(format!("{found:?} is not exact"))
            } else {
                Ok(())
            };
        }
        let is_least = call.what == What::Minimum;
        let mut found = if is_least {
            solver.base.minimum(
                pool,
                t,
                Ask::new(pc, witness, &budget).heard_by(&mut listener),
            )
        } else {
            solver.base.maximum(
                pool,
                t,
                Ask::new(pc, witness, &budget).heard_by(&mut listener),
            )
        };
        if self
            .config
            .fault
            .is_some_and(|f| matches!(f, Fault::ShiftExtreme))
        {
            found.value ^= 1;
        }
        let truth = if is_least { least } else { most };
        let is_attained = Evaluator::new().eval(&self.pool, t, &found.model) == found.value;
        if !is_attained || !self.is_model(path, Term::TRUE, &found.model) {
            return Err(format!("{} is not attained", found.value));
        }
        let is_outside = if is_least {
            found.bound > truth
        } else {
            found.bound < truth
        };
        if is_outside {
            return Err(format!("bound {}, and {truth} is attained", found.bound));
        }
        if !self.may_give_up(call) && (found.value, found.bound) != (truth, truth) {
            return Err(format!(
                "{} with bound {}, and it is {truth}",
                found.value, found.bound
            ));
        }
        Ok(())
    }

    fn collect(&mut self, is_told: bool) {
        let (pool, solver, paths) = (&mut self.pool, &mut self.solver, &mut self.paths);
        let relocation = pool.collect(&mut |visit| {
            let mut seen = TraceSet::new();
            for path in paths.iter_mut() {
                path.pc.trace_shared(&mut seen, visit);
            }
            solver.base.trace(visit);
        });
        if is_told {
            self.solver.base.relocate(&relocation);
        }
    }
}

fn both(a: &Points, b: &Points) -> Points {
    let each = a.iter().zip(b.iter());
    each.map(|(a, b)| *a && *b).collect::<Vec<bool>>().into()
}

fn any(points: &Points) -> bool {
    points.iter().any(|&p| p)
}
