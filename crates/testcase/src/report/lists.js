// What is within an error is unpacked when somebody opens it.
const errors = [];
function addErrors(items) {
  errors.push(...items);
  for (const item of items) item.addEventListener('toggle', async () => {
    if (!item.open || !item.dataset.later) return;
    const text = await later(item);
    if (!item.dataset.later) return;
    delete item.dataset.later;
    item.insertAdjacentHTML('beforeend', text);
    colorExcerpts(item);
  });
}
addErrors(document.querySelectorAll('#errors details.item'));
const allErrors = appendRest(document.querySelector('#errors .panel'), addErrors);
// A test whether a row has all words of a filter.
function filterOf(input) {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean), texts = input.texts ??= new Map();
  return row => {
    if (!texts.has(row)) texts.set(row, (row.textContent + ' ' + (row.dataset.words || '')).toLowerCase());
    return words.every(word => texts.get(row).includes(word));
  };
}
const errorFilter = document.querySelector('input[data-filter*=errors]');
if (errorFilter) {
  errorFilter.addEventListener('input', async () => {
    await allErrors;
    const fits = filterOf(errorFilter);
    for (const item of errors) item.hidden = !fits(item);
  });
}
// The table of tests has the first rows of those that fit the filter, and more of them as it is scrolled. It is sorted by the head that is chosen, with
// the pointer or by key; once more turns the order round.
const table = document.querySelector('#testtable');
let showRow = () => null;
if (table) {
  const MORE = 100, heads = [...table.tHead.rows[0].cells], body = table.tBodies[0], box = table.parentElement;
  const input = document.querySelector('input[data-filter*=testtable]');
  let rows = [...body.rows], fitting = rows, shown = rows.length;
  const all = restOf(table).then(more => rows.push(...more));
  const more = () => {
    const next = fitting.slice(shown, shown + MORE);
    shown += next.length;
    body.append(...next);
    return next.length;
  };
  const begin = () => {
    const fits = filterOf(input);
    fitting = input.value.trim() ? rows.filter(fits) : rows;
    shown = 0;
    body.replaceChildren();
    more();
    box.scrollTop = 0;
  };
  box.addEventListener('scroll', () => { if (box.scrollTop + 2 * box.clientHeight > box.scrollHeight) more(); }, {passive: true});
  input.addEventListener('input', () => all.then(begin));
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
    button.addEventListener('click', async () => {
      await all;
      const up = head.getAttribute('aria-sort') !== 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const keyed = rows.map(row => [key(row), row]);
      keyed.sort(([a], [b]) => (typeof a === 'number' ? a - b : order.compare(a, b)) * (up ? 1 : -1));
      rows = keyed.map(([, row]) => row);
      begin();
    });
  });
  // A row that a link names may be filtered out, or far below.
  showRow = async id => {
    await all;
    const row = rows.find(row => row.id === id);
    if (!row) return null;
    if (!fitting.includes(row)) { input.value = ''; begin(); }
    while (!row.isConnected && more());
    for (const other of body.querySelectorAll('.aimed')) other.classList.remove('aimed');
    row.classList.add('aimed');
    row.scrollIntoView({block: 'center'});
    return row;
  };
}
// A link to an error, a test, a file or a line of one shows it.
async function reveal() {
  const name = decodeURIComponent(location.hash.slice(1)), place = name.match(/^file(\d+)(?:-(\d+))?$/);
  if (place) await allSources;
  const source = place && sources[place[1]];
  if (source) {
    await source.open();
    source.item.scrollIntoView();
    if (place[2]) source.see(Number(place[2]));
    return;
  }
  if (name.startsWith('row-')) { showRow(name); return; }
  if (name.startsWith('error')) await allErrors;
  const target = name && document.getElementById(name), item = target && target.closest('details');
  if (!item) return;
  item.open = true;
  item.scrollIntoView();
}
addEventListener('hashchange', reveal);
reveal();
