//! The worker of a sandbox is this test program itself.

use polypath_testcase::replay::sandbox::{Launcher, worker_main};

const WORKER: &str = "POLYPATH_TEST_WORKER";

/// Starts this program as a worker.
pub fn launcher() -> Launcher {
    Launcher {
        program: "/usr/bin/env".into(),
        args: [
            format!("{WORKER}=1").into(),
            std::env::current_exe().unwrap().into_os_string(),
            "--exact".into(),
            "common::worker".into(),
        ]
        .into(),
    }
}

/// Not a test: what [`launcher`] starts.
#[test]
fn worker() {
    if std::env::var_os(WORKER).is_some() {
        worker_main();
    }
}
