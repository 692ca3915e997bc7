//! A page in headless Chromium, which says on its console what it found. Its clock is the real one: what comes with frames (scrolling, what comes
//! into view) comes as it does for people.

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A function for the page: `await said(text)` ends [`ask`] with the text.
pub const SAID: &str =
    "const said = text => console.log('SAID:' + encodeURIComponent(text) + ':');";

/// How long the browser may take to end when it was asked to.
const GOODBYE: Duration = Duration::from_secs(10);

/// Opens the page with these further options, and returns the first text that it says with [`SAID`]. `profile` is a directory for the browser,
/// which has ended then.
///
/// # Errors
/// There is no Chromium, or the page says nothing within the limit.
pub fn ask(page: &Path, profile: &Path, options: &[&str], limit: Duration) -> Result<String> {
    let mut chromium = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu"])
        .args(["--disable-quic", "--no-first-run", "--disable-sync"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
        ])
        .args(["--window-size=1280,900", "--enable-logging=stderr"])
        .args(options)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .context("cannot start chromium")?;
    let words = chromium.stderr.take().context("a pipe")?;
    let (send, receive) = mpsc::channel();
    let reader = std::thread::spawn(move || listen(words, &send));
    let text = receive.recv_timeout(limit);
    end(&mut chromium)?;
    if reader.join().is_err() {
        bail!("the thread that reads what chromium says has failed");
    }
    text.with_context(|| format!("{} said nothing within {limit:?}", page.display()))
}

/// Sends what the page says, and reads on to the end: a full pipe would stop the browser.
fn listen(words: ChildStderr, send: &mpsc::Sender<String>) {
    for line in BufReader::new(words).lines().map_while(Result::ok) {
        if let Some(text) = text_of(&line) {
            // Nobody waits for a second one.
            drop(send.send(text));
        }
    }
}

/// The text that a line of the browser's log holds, if it is one of ours.
fn text_of(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("SAID:")?;
    let (text, _) = rest.split_once(':')?;
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

/// Ends the browser with all its processes.
fn end(chromium: &mut Child) -> Result<()> {
    let group = Pid::from_child(chromium);
    let asked = Instant::now();
    kill_process_group(group, Signal::TERM)?;
    while asked.elapsed() < GOODBYE {
        if chromium.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_process_group(group, Signal::KILL)?;
    chromium.wait()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn a_text_comes_back_as_it_was() {
        let line =
            r#"[1:2:INFO:CONSOLE:3] "SAID:a%20%22b%22%3A%C3%A9:", source: file:///x.html (3)"#;
        assert_eq!(text_of(line).as_deref(), Some("a \"b\":é"));
        assert_eq!(text_of("[1:2:INFO:CONSOLE:3] \"other\""), None);
        assert_eq!(text_of("SAID:%zz:"), None);
    }
}
