//! A Ray cluster of two nodes on this machine, started here, explores a program; one of them is lost on the way.
//!
//! Needs a Python with Ray: `POLYPATH_RAY_PYTHON`, else `python3`. `./x test` installs Ray where pip reaches an index.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use testkit::{Place, engine};

/// Two nodes with one core each. It says the cluster's address, loses a node when it is asked to, and ends with its input.
const CLUSTER: &str = r#"
import sys
from ray.cluster_utils import Cluster
small = dict(num_cpus=1, object_store_memory=200 << 20)
cluster = Cluster(initialize_head=True, head_node_args=dict(include_dashboard=False, **small))
node = cluster.add_node(**small)
print(cluster.address, flush=True)
for line in sys.stdin:
    cluster.remove_node(node)
    print("lost", flush=True)
cluster.shutdown()
"#;

struct Cluster {
    process: Child,
    stdout: BufReader<ChildStdout>,
}

impl Cluster {
    fn start(python: &str) -> (Cluster, String) {
        let mut process = Command::new(python)
            .args(["-c", CLUSTER])
            .env("RAY_DISABLE_USAGE_STATS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let mut cluster = Cluster { process, stdout };
        let address = cluster.line();
        (cluster, address)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim().to_string()
    }

    fn lose_a_node(&mut self) {
        let input = self.process.stdin.as_mut().unwrap();
        input.write_all(b"lose\n").unwrap();
        assert_eq!(self.line(), "lost");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
    }
}

fn program(dir: &Place, bytes: u32) {
    let text = r#"
        #include <klee/klee.h>
        int main(void) {
            unsigned char in[N], a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 }; int sum = 0;
            klee_make_symbolic(in, sizeof in, "in");
            for (int i = 0; i < N; i++) {
                if (in[i] < 100) sum++;
                else sum += (in[i] < 200 ? a : b)[2];
            }
            return sum & 63;
        }"#;
    dir.write("t.c", text.replace('N', &bytes.to_string()));
}

#[test]
fn the_nodes_of_a_ray_cluster_explore() {
    let Some(dir) = engine!("ray") else { return };
    let python = std::env::var("POLYPATH_RAY_PYTHON").unwrap_or_else(|_| "python3".into());
    let has_ray = Command::new(&python)
        .args(["-c", "import ray.cluster_utils"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_ray {
        testkit::skip(&format!("{python} has no Ray (pip install 'ray[default]')"));
        return;
    }
    let (mut cluster, address) = Cluster::start(&python);
    assert!(address.contains(':'), "the cluster does not start");
    program(&dir, 11);
    let mut run = dir.command();
    run.args(["cluster", "ray", "--address", &address, "--python", &python])
        .args(["t.c", "--tests", "none", "--out", "out", "--time", "200"])
        .stderr(Stdio::piped());
    let mut run = run.spawn().unwrap();
    let mut lines = BufReader::new(run.stderr.take().unwrap()).lines();
    let mut said = Vec::new();
    // Both nodes are at work; then one of them is lost.
    let mut joined = 0;
    while joined < 2 {
        let Some(Ok(line)) = lines.next() else {
            panic!("only {joined} join: {said:?}");
        };
        joined += u32::from(line.contains("joins with 1 workers"));
        said.push(line);
    }
    cluster.lose_a_node();
    said.extend(lines.map_while(Result::ok));
    let said = said.join("\n");
    assert_eq!(run.wait().unwrap().code(), Some(0), "{said}");
    assert!(said.contains("is lost with 1 workers"), "{said}");
    let stats = testkit::json(&dir.join("out/stats.json"));
    assert_eq!(stats["halted"], serde_json::Value::Null, "{said}");
    assert_eq!(stats["completed_paths"], 3_u64.pow(11), "{said}");
}

#[test]
fn what_ray_cannot_do_is_said_at_once() {
    let Some(dir) = engine!("none") else { return };
    program(&dir, 1);
    let mut cases = vec![(vec!["--python", "no-such-python"], "no-such-python")];
    let has_python = Command::new("python3").arg("--version").output().is_ok();
    if has_python {
        // One without any packages.
        dir.write("bare", "#!/bin/sh\nexec python3 -I -S \"$@\"\n");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(dir.join("bare"), mode).unwrap();
        cases.push((vec!["--python", "./bare"], "No module named 'ray'"));
        cases.push((
            vec!["--address", "127.0.0.1:1"],
            "no Ray cluster at 127.0.0.1:1",
        ));
    }
    for (options, words) in cases {
        let ran =
            dir.polypath([&["cluster", "ray"], &options[..], &["t.c", "--out", "out"]].concat());
        assert_eq!(ran.code, 3, "{options:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{options:?}: {}", ran.stderr);
        assert!(!dir.join("out").exists(), "{options:?}");
    }
    if !has_python {
        testkit::skip("python3 is not installed");
    }
}
