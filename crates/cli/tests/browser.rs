//! The report in a real browser (headless Chromium): its parts work, without an error on the console.

#[path = "../../bench/src/tools/large_run.rs"]
mod large_run;

use large_run::{RARE, Size, write_large};
use oracle::browser::SAID;
use std::fs;
use std::time::Duration;
use testkit::{Place, Ran, place};

/// No page takes so long.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs in the page before everything else: what goes wrong there is kept.
const BEFORE: &str = "const wrong = [];
addEventListener('error', e => wrong.push(String(e.message)));
console.error = (...words) => wrong.push(words.join(' '));
";

/// Runs when the page is ready: `steps`, and then the verdict is said.
const AFTER: &str = "(async () => {
  const is = (what, found, wanted) => { if (found !== wanted) wrong.push(what + ': ' + found + ' in place of ' + wanted); };
  const all = selector => [...document.querySelectorAll(selector)];
  const shown = selector => all(selector).filter(e => !e.hidden).length;
  const frame = () => new Promise(r => requestAnimationFrame(() => setTimeout(r)));
  // What comes of a step has been painted: events of scrolling, and of what comes into view, come with frames.
  const wait = async () => { for (let i = 0; i < 2; i++) { await frame(); await new Promise(r => setTimeout(r, 110)); } };
  const type = async (input, text) => { input.value = text; input.dispatchEvent(new Event('input')); await wait(); };
  try { STEPS } catch (error) { wrong.push(String(error)); }
  said(wrong.length ? wrong.join('; ') : 'as it should be');
})();
";

/// Opens the report of `dir/out` with these options of the browser, and does the steps there.
fn in_browser(dir: &Place, options: &[&str], steps: &str) -> String {
    let page = dir.text("out/report.html");
    let page = page.replacen(
        "<head>",
        &format!("<head><script>{SAID}{BEFORE}</script>"),
        1,
    );
    let after = AFTER.replace("STEPS", steps);
    let page = page.replacen("</body>", &format!("<script>{after}</script></body>"), 1);
    dir.write("out/tried.html", page);
    let page = dir.join("out/tried.html");
    oracle::browser::ask(&page, &dir.join("profile"), options, LIMIT).expect("a verdict")
}

/// Six errors, in two files.
const WRONG: &str = "#include <stdlib.h>\n#include \"more.h\"\n\
    int main(int argc, char **argv) { char c = argc > 1 ? argv[1][0] : 0;\n\
    if (c == 'a') abort(); if (c == 'b') return 1 / (c - 'b'); if (c == 'c') return *(int *)0;\n\
    if (c == 'd') { char *p = malloc(1); free(p); free(p); } if (c == 'e') { int a[2]; return a[c - 'a']; }\n\
    if (c == 'f') return *more(c); return c == 'g' ? 3 : 0; }\n";

/// The second one of them. Its comment would be markup.
const MORE: &str = "static int needle = 7;\n\
    static int *more(int c) { return c == needle ? &needle : (int *)8; }\n\
    /* </script><b id=\"evil\">&amp;</b> */\n";

fn report(name: &str) -> Option<Place> {
    if !testkit::need("chromium") {
        return None;
    }
    let dir = place!(name).with_engine()?;
    dir.write("wrong.c", WRONG);
    dir.write("more.h", MORE);
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
        await wait();
        is('ascending', head.getAttribute('aria-sort') + inOrder(values(), 1), 'ascendingtrue');
        head.querySelector('button').click();
        await wait();
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
        is('text that would be markup', all('#files code').some(c => c.textContent === '/* <\\/script><b id=\"evil\">&amp;</b> */'), true);
        is('markup of a source', all('#evil').length, 0);
        const lines = ['if (x < \"a\\\\\"b\") y = \"é\"; // <é>', '\"open', \"'\", '  # define X 0x1F', '/* a */ b / c é', '* </pre>', '1.5e3 _a9', '/*'];
        for (const line of lines) {
            const code = document.createElement('code');
            code.innerHTML = colored(line);
            is('a colored line', code.textContent, line);
        }
        await type(search, '');
        is('nothing marked', all('#files .found').length, 0);
        const link = document.querySelector('#errors a[href^=\"#row-\"]');
        location.hash = link.getAttribute('href');
        await wait();
        is('the row of the test of an error', document.querySelectorAll(link.getAttribute('href') + '.aimed').length, 1);
        location.hash = '#' + all('#errors details').at(-1).id;
        await wait();
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

/// Tests, errors and sources that are not in the page as markup appear when somebody goes there.
#[test]
fn what_a_large_report_keeps_packed_appears() {
    if !testkit::need("chromium") {
        return;
    }
    let dir = place!("large");
    let size = Size {
        source_bytes: 2 << 20,
        files: 130,
        tests: 1000,
        errors: 150,
    };
    write_large(&dir.join("out"), size).expect("an invented run");
    let report: Ran = dir.polypath(["report", "out"]);
    assert_eq!(report.code, 0, "{}", report.text());
    let page = dir.text("out/report.html");
    assert!(
        page.len() < 2 << 20 && !page.contains(RARE),
        "sources are packed: {} bytes",
        page.len()
    );
    // One of the longest files: what the page shows of it is compared with what was written.
    let text = dir.text("out/sources/part8.c");
    let lines: Vec<&str> = text.lines().collect();
    let coverage = dir.json("out/coverage.json");
    let files = coverage["files"].as_array().expect("files");
    let is_it = |f: &&serde_json::Value| f["path"].as_str().expect("a path").ends_with("/part8.c");
    let file = files.iter().find(is_it).expect("the file");
    let missed = file["lines"].as_array().expect("lines").iter().rev();
    let missed: Vec<String> = missed
        .filter(|line| line[1] == false)
        .map(|line| line[0].to_string())
        .collect();
    let divisions = (1..=size.errors).filter(|id| id % 3 == 1).count();
    let steps = STEPS_OF_LARGE
        .replace("RARE", RARE)
        .replace("DIVISIONS", &divisions.to_string())
        .replace("ALL_LINES", &lines.len().to_string())
        .replace("LAST_LINE", &serde_json::json!(lines.last()).to_string())
        .replace("MISSED", &missed[0]);
    assert_eq!(in_browser(&dir, &[], &steps), "as it should be");
}

const STEPS_OF_LARGE: &str = "
    const box = document.querySelector('#testtable').parentElement, rows = () => all('#testtable tbody tr');
    const toTheEnd = async () => {
        for (let before = -1; before !== rows().length;) { before = rows().length; box.scrollTop = box.scrollHeight; await wait(); }
    };
    is('rows at first', rows().length, 100);
    await Promise.all([allErrors, allSources]);
    is('errors', all('#errors details').length, 150);
    is('files', all('#files details').length, 130);
    await toTheEnd();
    is('rows after scrolling', rows().length, 1000);
    const head = all('#testtable th').find(h => h.textContent === 'Instructions');
    head.querySelector('button').click();
    await wait();
    is('rows after sorting', rows().length, 100);
    await toTheEnd();
    const values = rows().map(r => Number(r.cells[head.cellIndex].dataset.value));
    is('all in order', values.length === 1000 && values.every((v, i) => !i || v >= values[i - 1]), true);
    await type(document.querySelector('input[data-filter*=testtable]'), 'div_zero');
    await toTheEnd();
    is('filtered rows', rows().length, DIVISIONS);
    location.hash = '#row-test000500';
    await wait();
    is('a row that was filtered out', all('#row-test000500.aimed').length, 1);
    const last = all('#errors details').at(-1);
    is('an entry that is packed', last.querySelector('pre'), null);
    const name = last.dataset.words.split(' ')[3];
    last.open = true;
    await wait();
    is('its source is there, and colored', last.querySelectorAll('.hit code em').length > 0, true);
    is('its calls', last.querySelectorAll('.stack li').length, 6);
    is('its input', last.querySelector('.dump') !== null, true);
    await type(document.querySelector('input[data-filter*=errors]'), name);
    is('a function among the calls', last.hidden + ' ' + (shown('#errors details') < 150), 'false true');
    const item = all('#files details').find(d => d.querySelector('summary').textContent.includes('/part8.c'));
    item.open = true;
    item.scrollIntoView({behavior: 'instant'});
    await wait();
    const source = item.querySelector('pre'), made = () => source.querySelectorAll('span').length;
    is('some lines are made', made() > 0 && made() < ALL_LINES, true);
    source.scrollTop = source.scrollHeight;
    await wait();
    is('the last line', [...source.querySelectorAll('code')].at(-1).textContent, LAST_LINE);
    is('its number', [...source.querySelectorAll('i')].at(-1).textContent, 'ALL_LINES');
    is('not all lines are made', made() < ALL_LINES, true);
    location.hash = '#' + item.id + '-MISSED';
    await wait();
    const line = [...source.querySelectorAll('span')].find(s => s.querySelector('i').textContent === 'MISSED');
    is('a line that was not reached', line.classList.contains('n'), true);
    const frame = source.getBoundingClientRect(), place = line.getBoundingClientRect();
    is('it is in view', place.top >= frame.top && place.bottom <= frame.bottom, true);
    const search = document.querySelector('#sourcesearch');
    await type(search, 'RARE');
    is('lines', search.parentElement.querySelector('output').textContent, '1 line');
    is('files', shown('#files details'), 1);
    is('the marked line', all('#files details:not([hidden]) .found').map(l => l.querySelector('code').textContent).join(), 'int RARE;');
    await type(search, 'nowhere in the sources');
    is('no lines', search.parentElement.querySelector('output').textContent + shown('#files details'), '0 lines0');
";
