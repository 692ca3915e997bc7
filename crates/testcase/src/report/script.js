'use strict';
// Values under the pointer, for each plot.
for (const chart of document.querySelectorAll('.chart')) {
  const svg = chart.querySelector('svg'), cursor = chart.querySelector('.cursor'), out = chart.querySelector('output');
  const end = Number(chart.dataset.end), unit = chart.dataset.unit;
  const series = [...chart.querySelectorAll('.line')].map(l => ({
    name: l.dataset.name,
    points: l.dataset.points.split(';').filter(Boolean).map(p => p.split(',').map(Number)),
  }));
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect(), scale = 520 / box.width;
    const t = ((event.clientX - box.left) * scale - 52) / (520 - 64) * end;
    if (t < 0 || t > end) return;
    let at = t;
    const words = series.map(s => {
      let best = null;
      for (const p of s.points) if (!best || Math.abs(p[0] - t) < Math.abs(best[0] - t)) best = p;
      if (!best) return '';
      at = best[0];
      const value = Math.abs(best[1]) >= 100 ? Math.round(best[1]).toLocaleString('en') : Number(best[1].toFixed(2));
      return (series.length > 1 ? s.name + ' ' : '') + value + (unit ? ' ' + unit : '');
    });
    const x = 52 + at / end * (520 - 64);
    cursor.setAttribute('x1', x); cursor.setAttribute('x2', x);
    out.textContent = at.toFixed(1) + ' s: ' + words.join(', ');
    out.style.opacity = 1;
    const left = x / scale + 22;
    out.style.left = Math.min(left, chart.clientWidth - out.offsetWidth - 8) + 'px';
    out.style.top = '36px';
  });
  svg.addEventListener('pointerleave', () => { out.style.opacity = 0; cursor.setAttribute('x1', -9); cursor.setAttribute('x2', -9); });
}
// Filters over rows and entries.
for (const input of document.querySelectorAll('input[data-filter]')) {
  const rows = [...document.querySelectorAll(input.dataset.filter)];
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(w => text.includes(w));
    }
  });
}
// A table is sorted by the head that is chosen, with the pointer or by key; once more turns the order round.
for (const table of document.querySelectorAll('table[data-sort]')) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    const key = row => {
      const cell = row.cells[column];
      return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
    };
    const order = new Intl.Collator('en', {numeric: true});
    button.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') !== 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const rows = [...body.rows].map(row => [key(row), row]);
      rows.sort(([a], [b]) => (typeof a === 'number' ? a - b : order.compare(a, b)) * (up ? 1 : -1));
      body.append(...rows.map(([, row]) => row));
    });
  });
}
// A source file opens at its first finding.
function show(pre, line) {
  if (pre && line) pre.scrollTop = line.offsetTop - pre.offsetTop - pre.clientHeight / 3;
}
for (const item of document.querySelectorAll('#files details')) {
  const open = () => { if (item.open) show(item.querySelector('pre'), item.querySelector('.err')); };
  item.addEventListener('toggle', open);
  open();
}
// Searching all source files: those without a match disappear, and the first ones with one open there.
const search = document.querySelector('#sourcesearch');
if (search) {
  const out = search.parentElement.querySelector('output'), files = [...document.querySelectorAll('#files details')];
  let waiting = 0;
  const look = () => {
    const text = search.value.trim().toLowerCase(), isAsked = text.length > 1;
    let lines = 0, shown = 0;
    for (const file of files) {
      let first = null;
      for (const line of file.querySelectorAll('pre.src > span')) {
        // Before the text stand the number and the branches.
        const found = isAsked && line.textContent.toLowerCase().includes(text);
        if (found || line.classList.contains('found')) line.classList.toggle('found', found);
        if (found) { lines++; first = first || line; }
      }
      file.hidden = isAsked && !first;
      if (first && shown++ < 20) { file.open = true; show(file.querySelector('pre'), first); }
    }
    out.textContent = isAsked ? lines + (lines === 1 ? ' line' : ' lines') : '';
  };
  search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(look, 150); });
}
// A link to an error, a file or a line opens it.
function reveal() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  const item = target && target.closest('details');
  if (!item) return;
  item.open = true;
  if (target !== item) show(target.closest('pre'), target);
}
addEventListener('hashchange', reveal);
reveal();
