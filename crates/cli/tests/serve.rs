//! `polypath report --serve`: a run is looked at while it goes on.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use testkit::{Place, engine};

const MANY: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { char b[64]; int n = fread(b, 1, 40, stdin), k = 0;\n\
    for (int i = 0; i < n; i++) if (b[i] == 'a' + i % 3) k++;\n\
    if (k == 2) abort(); return k; }\n";

/// What the server answers to a request.
fn answer(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    write!(stream, "{request} HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    text
}

/// A run that goes on until it is told to stop, with its first results written.
fn running(dir: &Place) -> Child {
    dir.write("many.c", MANY);
    let mut run = dir.command();
    run.args(["run", "many.c", "--sym-stdin", "40", "--out", "out", "-q"]);
    let child = run.stderr(Stdio::null()).spawn().expect("polypath starts");
    let begun = Instant::now();
    while !dir.join("out/stats.json").exists() {
        assert!(begun.elapsed() < Duration::from_secs(100), "no results");
        std::thread::sleep(Duration::from_millis(50));
    }
    child
}

#[test]
fn a_run_is_shown_while_it_goes_on_to_whoever_has_the_token() {
    let Some(dir) = engine!("goes-on") else {
        return;
    };
    let mut run = running(&dir);
    let mut serve = dir.command();
    serve.args(["report", "out", "--serve"]);
    let mut serve = serve
        .stdout(Stdio::piped())
        .spawn()
        .expect("polypath starts");
    let mut lines = BufReader::new(serve.stdout.take().expect("a pipe")).lines();
    let url = lines.next().expect("a line").expect("text");
    let rest = url.strip_prefix("http://").expect("an address");
    let (address, path) = rest.split_once('/').expect("a path");
    assert!(address.starts_with("127.0.0.1:"), "{url}");
    assert_eq!(path.len(), 33, "{url}");
    let page = answer(address, &format!("GET /{path}"));
    assert!(
        page.starts_with("HTTP/1.0 200") && page.contains("many.c"),
        "{page}"
    );
    assert!(page.contains("location.reload"), "it renews itself");
    for request in [
        "GET /",
        "GET /00/",
        &format!("POST /{path}"),
        &format!("GET /{path}../x"),
    ] {
        let refused = answer(address, request);
        assert!(refused.starts_with("HTTP/1.0 404"), "{request}: {refused}");
    }
    // It ends with the run, and leaves the reports.
    let mut stop = std::process::Command::new("kill");
    stop.args(["-INT", &run.id().to_string()]);
    assert!(stop.status().expect("kill").success());
    run.wait().expect("the run ends");
    let last = answer(address, &format!("GET /{path}"));
    assert!(!last.contains("location.reload"), "{last}");
    let files: Vec<String> = lines.map(|line| line.expect("text")).collect();
    assert!(files[0].ends_with("out/report.html"), "{files:?}");
    assert!(serve.wait().expect("it ends").success());
}

#[test]
fn the_report_of_a_run_that_has_ended_is_written_at_once() {
    let Some(dir) = engine!("ended") else { return };
    dir.write("one.c", "int main(void) { return 0; }\n");
    assert_eq!(dir.polypath(["run", "one.c", "--out", "out", "-q"]).code, 0);
    let shown = dir.polypath(["report", "out", "--serve"]);
    assert_eq!(shown.code, 0, "{}", shown.text());
    assert!(
        shown.stderr.contains("no run is at work in out"),
        "{}",
        shown.text()
    );
    assert!(dir.join("out/report.html").is_file());
    let nothing = dir.polypath(["report", "nowhere", "--serve"]);
    assert_eq!(nothing.code, 2, "{}", nothing.text());
}
