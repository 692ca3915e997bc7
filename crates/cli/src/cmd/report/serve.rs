//! `polypath report --serve`: the report of a run that goes on, for a browser on this machine, until the run ends.
//!
//! The address has a random token, so that other users of the machine, and pages of other hosts in the same browser, do not find it.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tiny_http::{Header, Method, Request, Response, Server};

/// The page is made anew no more often than this, and takes no more than a fifth of the time.
const RENEWED: Duration = Duration::from_secs(2);
/// So long after the end of the run a browser can still fetch the last page.
const AFTER: Duration = Duration::from_secs(6);
/// Between two looks at whether the run goes on.
const LOOK: Duration = Duration::from_millis(300);

/// Serves the report of the run in `dir` at `127.0.0.1:port` (0: any free port) until the run ends.
///
/// # Errors
/// There is no run, or the port cannot be had.
pub fn serve(dir: &Path, port: u16) -> anyhow::Result<()> {
    if !testcase::frontier::is_at_work(dir) {
        say::err!(
            "polypath: no run is at work in {}: its report is written",
            dir.display()
        );
        return Ok(());
    }
    let mut page = Page::of(dir)?;
    let server = Server::http(("127.0.0.1", port))
        .map_err(|error| anyhow::anyhow!("{error}"))
        .with_context(|| format!("cannot listen on port {port} of this machine (--port)"))?;
    let path = format!("/{}/", token()?);
    let address = server.server_addr();
    say::out!("http://{address}{path}");
    let mut ended: Option<Instant> = None;
    loop {
        if ended.is_none() && !testcase::frontier::is_at_work(dir) {
            ended = Some(Instant::now());
            page = Page::of(dir)?;
        }
        if ended.is_some_and(|since| since.elapsed() > AFTER) {
            return Ok(());
        }
        let Some(request) = server.recv_timeout(LOOK)? else {
            continue;
        };
        if *request.method() != Method::Get || request.url() != path {
            answer(
                request,
                Response::from_string("not here").with_status_code(404),
            );
            continue;
        }
        // Whoever asks after the end of the run sees the end.
        let is_over = !testcase::frontier::is_at_work(dir);
        if ended.is_none() && (is_over || page.is_old()) {
            page = Page::of(dir)?;
        }
        let html = Header::from_bytes("Content-Type", "text/html; charset=utf-8");
        let response = Response::from_string(page.text.clone());
        let response = html.into_iter().fold(response, Response::with_header);
        answer(request, response);
    }
}

/// A browser that does not wait for its page misses nothing.
fn answer(request: Request, response: Response<std::io::Cursor<Vec<u8>>>) {
    // In a thread of its own: one that reads slowly, or not at all, holds up neither others nor the end.
    std::thread::spawn(move || request.respond(response).ok());
}

/// The page of a moment.
struct Page {
    text: String,
    made: Instant,
    took: Duration,
}

impl Page {
    fn of(dir: &Path) -> anyhow::Result<Page> {
        let begun = Instant::now();
        let text = testcase::report::now(dir, testcase::frontier::is_at_work(dir))?;
        Ok(Page {
            text,
            made: Instant::now(),
            took: begun.elapsed(),
        })
    }

    fn is_old(&self) -> bool {
        self.made.elapsed() > RENEWED.max(4 * self.took)
    }
}

/// 128 random bits as text.
fn token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .context("/dev/urandom")?;
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}")?;
    }
    Ok(text)
}
