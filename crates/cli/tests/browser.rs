//! The report in a real browser (headless Chromium): its parts work, without an error on the console.

use std::fs;
use std::process::{Command, Stdio};
use testkit::{Place, Ran, place};

/// Runs in the page before everything else: what goes wrong there is kept.
const BEFORE: &str = "const wrong = [];
addEventListener('error', e => wrong.push(String(e.message)));
console.error = (...words) => wrong.push(words.join(' '));
";

/// Runs when the page is ready: `steps`, and then the verdict is written where the test finds it.
const AFTER: &str = "(async () => {
  const is = (what, found, wanted) => { if (found !== wanted) wrong.push(what + ': ' + found + ' in place of ' + wanted); };
  const all = selector => [...document.querySelectorAll(selector)];
  const shown = selector => all(selector).filter(e => !e.hidden).length;
  const type = async (input, text) => { input.value = text; input.dispatchEvent(new Event('input')); await new Promise(r => setTimeout(r, 300)); };
  try { STEPS } catch (error) { wrong.push(String(error)); }
  const verdict = document.createElement('pre');
  verdict.id = 'verdict';
  verdict.textContent = wrong.length ? wrong.join('; ') : 'as it should be';
  document.body.append(verdict);
})();
";

/// Opens the report of `dir/out` with these options of the browser, and does the steps there.
fn in_browser(dir: &Place, options: &[&str], steps: &str) -> String {
    let page = dir.text("out/report.html");
    let page = page.replacen("<head>", &format!("<head><script>{BEFORE}</script>"), 1);
    let after = AFTER.replace("STEPS", steps);
    let page = page.replacen("</body>", &format!("<script>{after}</script></body>"), 1);
    dir.write("out/tried.html", page);
    let output = Command::new("timeout")
        .args([
            "120",
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
        ])
        .args([
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--virtual-time-budget=20000",
        ])
        .args(options)
        .arg(format!("--user-data-dir={}", dir.join("profile").display()))
        .args([
            "--dump-dom",
            &format!("file://{}", dir.join("out/tried.html").display()),
        ])
        .stderr(Stdio::null())
        .output()
        .expect("chromium starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = text.split("<pre id=\"verdict\">").nth(1);
    let verdict = verdict.and_then(|rest| rest.split("</pre>").next());
    verdict
        .unwrap_or_else(|| panic!("no verdict: {}\n{text}", output.status))
        .to_owned()
}

/// Six errors, in two files.
const WRONG: &str = "#include <stdlib.h>\n#include \"more.h\"\n\
    int main(int argc, char **argv) { char c = argc > 1 ? argv[1][0] : 0;\n\
    if (c == 'a') abort(); if (c == 'b') return 1 / (c - 'b'); if (c == 'c') return *(int *)0;\n\
    if (c == 'd') { char *p = malloc(1); free(p); free(p); } if (c == 'e') { int a[2]; return a[c - 'a']; }\n\
    if (c == 'f') return *more(c); return c == 'g' ? 3 : 0; }\n";

fn report(name: &str) -> Option<Place> {
    if !testkit::need("chromium") {
        return None;
    }
    let dir = place!(name).with_engine()?;
    dir.write("wrong.c", WRONG);
    dir.write("more.h", "static int needle = 7;\nstatic int *more(int c) { return c == needle ? &needle : (int *)8; }\n");
    let run = dir.polypath([
        "run",
        "wrong.c",
        "--sym-args",
        "0",
        "1",
        "1",
        "--out",
        "out",
        "-q",
    ]);
    assert_eq!(run.code, 1, "{}", run.text());
    let report: Ran = dir.polypath(["report", "out"]);
    assert_eq!(report.code, 0, "{}", report.text());
    Some(dir)
}

#[test]
fn a_report_can_be_sorted_filtered_and_searched() {
    let Some(dir) = report("parts") else { return };
    let steps = "
        const rows = () => all('#testtable tbody tr');
        const before = rows().length;
        const head = all('#testtable th').find(h => h.textContent === 'Instructions');
        const values = () => rows().map(r => Number(r.cells[head.cellIndex].dataset.value));
        const inOrder = (l, sign) => l.every((v, i) => !i || sign * (v - l[i - 1]) >= 0);
        head.querySelector('button').click();
        is('ascending', head.getAttribute('aria-sort') + inOrder(values(), 1), 'ascendingtrue');
        head.querySelector('button').click();
        is('descending', head.getAttribute('aria-sort') + inOrder(values(), -1), 'descendingtrue');
        is('rows', rows().length, before);
        await type(document.querySelector('input[data-filter*=testtable]'), 'div_zero');
        is('tests with that error', shown('#testtable tbody tr'), 1);
        const errors = all('#errors details').length;
        is('a filter where there are many errors', errors > 5, true);
        await type(document.querySelector('input[data-filter*=errors]'), 'double_free');
        is('errors of that kind', shown('#errors details'), 1);
        const search = document.querySelector('#sourcesearch'), out = search.parentElement.querySelector('output');
        await type(search, 'needle');
        is('lines', out.textContent, '2 lines');
        is('files', shown('#files details'), 1);
        is('marked lines', all('#files .found').length, 2);
        await type(search, '');
        is('nothing marked', all('#files .found').length, 0);
        const link = document.querySelector('#errors a[href^=\"#row-\"]');
        is('the row of the test of an error', document.querySelectorAll(link.getAttribute('href')).length, 1);
        location.hash = '#' + all('#errors details').at(-1).id;
        await new Promise(r => setTimeout(r, 300));
        is('a link opens its error', all('#errors details').at(-1).open, true);
        const nameless = all('input, button, a, [role=img]').filter(e => !(e.getAttribute('aria-label') || e.textContent.trim()));
        is('without a name for screen readers', nameless.length, 0);
        is('reached by key', all('th button').every(b => b.tabIndex === 0), true);
    ";
    assert_eq!(in_browser(&dir, &[], steps), "as it should be");
}

#[test]
fn a_report_is_dark_where_the_user_wants_it() {
    let Some(dir) = report("dark") else { return };
    let light = "is('light', getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(n => n > 128), true);";
    assert_eq!(in_browser(&dir, &[], light), "as it should be");
    let dark = "is('dark', getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(n => n < 128), true);";
    let options = ["--blink-settings=preferredColorScheme=0"];
    assert_eq!(in_browser(&dir, &options, dark), "as it should be");
    // The way that the tests look at pages finds what is wrong there.
    assert_eq!(in_browser(&dir, &[], "console.error('bad')"), "bad");
    fs::remove_dir_all(dir.join("profile")).expect("the browser has ended");
}
