//! Explains where and why a native binary leaves the machine's path: the machine runs the test's input again, and the
//! sites that both passed are compared.

use testcase::TestCase;

use run::follow::{Followed, Follower};
use run::plan::CProgram;

/// Explains divergences of one program.
pub struct Locator<'a> {
    plan: &'a CProgram,
    module: ir::Verified,
    /// Why addresses differ from the machine's, if they do.
    pub addresses: Option<String>,
}

impl<'a> Locator<'a> {
    pub fn new(plan: &'a CProgram, module: ir::Verified) -> Locator<'a> {
        Locator {
            plan,
            module,
            addresses: None,
        }
    }

    /// The place where `native`, the sites that the binary passed, leaves the machine's path, as a message.
    pub fn explain(&self, test: &TestCase, native: &[ir::SiteId]) -> Option<String> {
        let machine = self.follow(test, false)?;
        let recorded = machine
            .passed
            .sites
            .iter()
            .fold(ir::trace::START, |h, &s| ir::trace::step(h, s));
        let differs = machine
            .passed
            .sites
            .iter()
            .zip(native)
            .position(|(a, b)| a != b)
            .or_else(|| {
                let shorter = machine.passed.sites.len().min(native.len());
                (machine.passed.sites.len() != native.len()).then_some(shorter)
            });
        let Some(at) = differs else {
            // Ours: the test does not lead to its own path.
            let own = if test.expected.path_hash == Some(recorded) {
                "both passed the same sites"
            } else {
                "the machine, run on the test's input, takes the binary's path, not the recorded one"
            };
            return Some(own.into());
        };
        let place = |sites: &[ir::SiteId]| match sites.get(at) {
            Some(&site) => self.place(site),
            None => "its end".into(),
        };
        let behind = match at.checked_sub(1).and_then(|i| native.get(i)) {
            Some(&site) => format!("behind {}", self.place(site)),
            None => "at the start".into(),
        };
        let cause = self.cause(test);
        Some(format!(
            "first difference {behind}, after {at} sites: the machine goes to {}, the binary to {}; {cause}",
            place(&machine.passed.sites),
            place(native)
        ))
    }

    fn cause(&self, test: &TestCase) -> String {
        if let Some(place) = self.follow(test, true).and_then(|f| f.uninitialized) {
            return format!(
                "the program reads memory that was never written, {place}: see polypath run --check uninit"
            );
        }
        match &self.addresses {
            Some(why) => format!("addresses differ from the machine's ({why})"),
            None => "no read of memory that was never written was seen".into(),
        }
    }

    /// `f (FILE:LINE)`.
    fn place(&self, site: ir::SiteId) -> String {
        let Some(site) = self.module.sites.get(site as usize) else {
            return "an unknown place".into();
        };
        let function = self.module.functions.get(site.function as usize);
        let name = function.map_or("?", |f| f.name.as_str());
        let file = self.module.file_name(site.location);
        format!("{name} ({file}:{})", site.location.line)
    }

    fn follow(&self, test: &TestCase, uninitialized: bool) -> Option<Followed> {
        let checks = memory::Checks {
            uninitialized,
            ..memory::Checks::default()
        };
        let mut follower = Follower::new(self.plan, self.module.clone(), checks).ok()?;
        follower.follow(test)
    }
}
