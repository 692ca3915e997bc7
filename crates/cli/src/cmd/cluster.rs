//! `polypath cluster ENGINE PROGRAM …`: `polypath run` with workers that a cluster's engine starts on its machines.

use std::ffi::OsString;

/// Explores on the machines of a cluster.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(subcommand)]
    engine: Engine,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum Engine {
    /// Explore on all nodes of a Ray cluster (docs/cluster.md)
    Ray(RayArgs),
}

#[derive(clap::Args, Clone, Debug)]
struct RayArgs {
    /// The cluster: HOST:PORT, or auto for the one that this machine belongs to
    #[arg(long, value_name = "ADDRESS", default_value = "auto")]
    address: OsString,

    /// The Python that has the package ray[default]
    #[arg(long, value_name = "FILE", default_value = "python3")]
    python: OsString,

    /// The program and the options of `polypath run`
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    run: Vec<OsString>,
}

impl Args {
    /// The command line of the run that is meant.
    pub fn words(&self) -> Vec<OsString> {
        let Engine::Ray(ray) = &self.engine;
        let mut words: Vec<OsString> = ["polypath", "run", "--jobs", "0", "--listen", "0.0.0.0:0"]
            .map(OsString::from)
            .into();
        words.extend(["--ray".into(), ray.address.clone()]);
        words.extend(["--python".into(), ray.python.clone()]);
        words.extend_from_slice(&ray.run);
        words
    }
}
