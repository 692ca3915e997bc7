//! Suite `large-report`: how long the report of a large run takes to write, and how long its page takes in a browser.

use crate::tools::large_run::{RARE, Size, write_large};
use crate::tools::report::{Cell, Report};
use crate::tools::{Context, fresh_dir};
use anyhow::{Context as _, Result, bail};
use oracle::browser;
use oracle::measure::measure;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Sizes: name, megabytes of sources, their files, tests, errors.
const SIZES: &[(&str, usize, usize, u32, u32)] = &[
    ("small", 1, 20, 100, 10),
    ("middle", 10, 100, 2_000, 400),
    ("large", 50, 500, 10_000, 2_000),
    ("many files", 50, 5_000, 10_000, 2_000),
];

/// What a step in the page may take, in seconds.
const GOAL: f64 = 1.0;

/// No page takes so long but one that hangs.
const LIMIT: Duration = Duration::from_secs(240);

/// Runs in the page; what was measured goes to the console. Each step is timed until the browser has painted what came of it. (The search waits
/// for 0.15 s until nobody types.)
const STEPS: &str = r#"
const took = {}, painted = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
(async () => {
  while (!document.querySelector('#testtable button')) await painted();
  await painted();
  took['usable'] = performance.now();
})();
addEventListener('load', async () => {
  const all = selector => [...document.querySelectorAll(selector)];
  const until = async what => { while (!what()) { await new Promise(r => setTimeout(r, 2)); } };
  await painted();
  took['all read'] = performance.now();
  const step = async (name, act) => { const begin = performance.now(); await act(); await painted(); took[name] = performance.now() - begin; };
  const type = (selector, text) => { const input = document.querySelector(selector); input.value = text; input.dispatchEvent(new Event('input')); };
  const head = all('#testtable th').find(h => h.textContent === 'Instructions');
  try {
    await step('sort', () => head.querySelector('button').click());
    await step('sort again', () => head.querySelector('button').click());
    await step('filter tests', () => type('input[data-filter*=testtable]', 'exit 1'));
    await step('filter tests again', () => type('input[data-filter*=testtable]', ''));
    await step('filter errors', () => type('input[data-filter*=errors]', 'div_zero'));
    await step('filter errors again', () => type('input[data-filter*=errors]', ''));
    await step('open an error', async () => { const item = all('#errors details').at(-1); item.open = true; await until(() => item.querySelector('pre')); });
    await step('open a source', async () => { const item = all('#files details')[7]; item.open = true; await until(() => item.querySelector('pre .y')); });
    const out = document.querySelector('#sourcesearch').parentElement.querySelector('output');
    const search = (name, text) => step(name, async () => { out.textContent = ''; type('#sourcesearch', text); await until(() => / lines?$/.test(out.textContent)); took[name + ': lines'] = parseInt(out.textContent); });
    await search('search a rare word', 'RARE');
    await search('search a common word', 'parser');
    await search('search what is nowhere', 'no such text');
  } catch (error) { took.error = String(error); }
  said(JSON.stringify(took));
});
"#;

/// Milliseconds of each step in Chromium, as the page said them.
fn in_browser(dir: &Path) -> Result<serde_json::Map<String, serde_json::Value>> {
    let page = std::fs::read_to_string(dir.join("report.html"))?;
    let steps = STEPS.replace("RARE", RARE);
    let measured = dir.join("measured.html");
    let script = format!("<head><script>{}{{{steps}}}</script>", browser::SAID);
    std::fs::write(&measured, page.replacen("<head>", &script, 1))?;
    let told = browser::ask(&measured, &dir.join("profile"), &[], LIMIT)?;
    serde_json::from_str(&told).with_context(|| told)
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let mut report = Report::new(
        "The report of a large run: writing it, and its page in Chromium",
        &["size", "what", "value"],
    );
    for &(name, megabytes, files, tests, errors) in SIZES.iter().filter(|s| context.wants(s.0)) {
        say::err!("report: {name}");
        let dir = context.out.join("report").join(name.replace(' ', "-"));
        fresh_dir(&dir)?;
        let size = Size {
            source_bytes: megabytes << 20,
            files,
            tests,
            errors,
        };
        write_large(&dir, size)?;
        let mut row =
            |what: &str, cell: Cell| report.rows.push(vec![name.into(), what.into(), cell]);
        let usage = measure(
            Command::new(&context.polypath).arg("report").arg(&dir),
            LIMIT,
        )?;
        if usage.code() != 0 {
            bail!("polypath report: {}", usage.last_words());
        }
        row("written, CPU s", usage.cpu_s.into());
        row(
            "page, MB",
            (std::fs::metadata(dir.join("report.html"))?.len() as f64 / 1e6).into(),
        );
        let took = in_browser(&dir)?;
        for (step, value) in took {
            match value.as_f64() {
                Some(lines) if step.ends_with(": lines") => row(&step, lines.into()),
                Some(ms) => row(
                    &format!("{step}, s"),
                    Cell::Goal {
                        value: ms / 1000.0,
                        goal: GOAL,
                        at_most: true,
                    },
                ),
                None => bail!("{name}: {step}: {value}"),
            }
        }
    }
    Ok(report)
}
