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

/// The same, where it can have no namespaces.
pub fn ruled() -> Launcher {
    const SHELL: &str = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let Launcher { program, args } = launcher();
    let before = ["--user", "--map-root-user", "sh", "-c", SHELL, "sh"].map(Into::into);
    let program = [program.into_os_string()];
    Launcher {
        program: "/usr/bin/unshare".into(),
        args: before.into_iter().chain(program).chain(args).collect(),
    }
}

/// Not a test: what [`launcher`] starts.
#[test]
fn worker() {
    if std::env::var_os(WORKER).is_some() {
        worker_main();
    }
}
