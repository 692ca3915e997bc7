// Sources: files are shown when they are opened, and of a file the lines that somebody looks at.
const KEYWORDS = new Set(('auto bool break case char const continue default do double else enum extern float for goto if inline int long register ' +
  'return short signed sizeof static struct switch typedef union unsigned void volatile while true false NULL').split(' '));
const TOKEN = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|\d[\w.]*|[A-Za-z_]\w*/g;
const escaped = text => text.replace(/[&<>"]/g, sign => '&#' + sign.charCodeAt(0) + ';');
// C, line by line. (Comments over several lines are not followed; the colors are a help, nothing depends on them.)
function colored(line) {
  const part = (kind, text) => `<em class="${kind}">${escaped(text)}</em>`;
  if (/^\s*#/.test(line)) return part('pp', line);
  if (/^\s*\*[ /]/.test(line)) return part('cm', line);
  let out = '', at = 0;
  for (const {0: token, index} of line.matchAll(TOKEN)) {
    out += escaped(line.slice(at, index));
    at = index + token.length;
    const kind = token[0] === '/' ? 'cm' : /["']/.test(token[0]) ? 'st' : /\d/.test(token[0]) ? 'nu' : KEYWORDS.has(token) ? 'kw' : '';
    out += kind ? part(kind, token) : escaped(token);
  }
  return out + escaped(line.slice(at));
}
function colorExcerpts(element) {
  for (const code of element.querySelectorAll('pre.src code')) code.innerHTML = colored(code.textContent);
}
colorExcerpts(document);

// What is searched for in all files, or null.
let wanted = null;
const BLOCK = 100;
class Source {
  constructor(item) {
    this.item = item;
    this.text = null;
  }
  // The notes on the lines, and the lines.
  async load() {
    if (this.text !== null) return;
    const text = await later(this.item) ?? '{}\n', end = text.indexOf('\n');
    if (this.text !== null) return;
    this.notes = text.slice(0, end);
    this.text = text.slice(end + 1);
  }
  // How many lines have what is searched for; the first one is kept.
  count() {
    wanted.lastIndex = 0;
    let lines = 0;
    this.first = 0;
    for (let match; (match = wanted.exec(this.text));) {
      if (!lines++) this.first = this.text.slice(0, match.index).split('\n').length;
      const end = this.text.indexOf('\n', match.index);
      if (end < 0) break;
      wanted.lastIndex = end + 1;
    }
    return lines;
  }
  async open() {
    this.item.open = true;
    await this.show();
  }
  // Blocks of lines, each as high as its lines, which are made when they come near the window.
  async show() {
    await this.load();
    if (this.pre || !this.item.dataset.later) return;
    this.lines = this.text.split('\n');
    if (this.lines.at(-1) === '') this.lines.pop();
    this.notes = JSON.parse(this.notes);
    this.pre = document.createElement('pre');
    this.pre.className = 'src cov';
    this.pre.tabIndex = 0;
    this.item.append(this.pre);
    this.height = parseFloat(getComputedStyle(this.pre).lineHeight);
    const near = new IntersectionObserver(entries => {
      for (const {target, isIntersecting} of entries) if (isIntersecting) this.fill(target);
    }, {root: this.pre, rootMargin: '800px 0px'});
    for (let first = 0; first < this.lines.length; first += BLOCK) {
      const block = document.createElement('div');
      block.dataset.first = first;
      block.style.height = Math.min(BLOCK, this.lines.length - first) * this.height + 'px';
      this.pre.append(block);
      if (first) near.observe(block);
      else this.fill(block);
    }
    this.see(this.first || Math.min(...Object.keys(this.notes.errors).map(Number)));
  }
  fill(block) {
    if (block.firstChild) return;
    const first = Number(block.dataset.first), {colors, branches, errors} = this.notes;
    block.innerHTML = this.lines.slice(first, first + BLOCK).map((line, i) => {
      const n = first + i + 1, error = errors[n], outcomes = branches[n];
      const kind = [colors[n - 1] || '', error ? 'err' : ''].join(' ').trim();
      const squares = outcomes ? `<u title="${outcomes[1]} of ${outcomes[2]} branch outcomes taken">` +
        [...outcomes[0]].map(taken => `<s${taken === 't' ? ' class="t"' : ''}></s>`).join('') + (outcomes[2] > outcomes[0].length ? '+' : '') + '</u>' : '';
      return `<span${kind ? ` class="${kind}"` : ''}${error ? ` title="${escaped(error.join('; '))}"` : ''}>` +
        `<i>${n}</i> <b>${squares}</b> <code>${colored(line)}</code></span>`;
    }).join('');
    this.mark(block);
  }
  // Marks the lines of a block that have what is searched for.
  mark(block) {
    const first = Number(block.dataset.first);
    [...block.children].forEach((line, i) => {
      if (wanted) wanted.lastIndex = 0;
      line.classList.toggle('found', Boolean(wanted && wanted.test(this.lines[first + i])));
    });
  }
  markAll() {
    if (this.pre) for (const block of this.pre.children) this.mark(block);
  }
  // Scrolls to a line.
  see(line) {
    if (!this.pre || !(line > 0) || line > this.lines.length) return;
    const block = this.pre.children[Math.floor((line - 1) / BLOCK)];
    this.fill(block);
    this.pre.scrollTop = (line - 1) * this.height - this.pre.clientHeight / 3;
  }
}
const sources = [];
function addSources(items) {
  for (const item of items) {
    const source = new Source(item);
    sources.push(source);
    item.addEventListener('toggle', () => { if (item.open) source.show(); });
    if (item.open) source.show();
  }
}
addSources(document.querySelectorAll('#files details.item'));
const allSources = appendRest(document.querySelector('#files .panel'), addSources);
// Searching all source files: those without a match disappear, and the first ones with one open there.
const search = document.querySelector('#sourcesearch');
if (search) {
  const out = search.parentElement.querySelector('output');
  let waiting = 0;
  const look = async () => {
    const text = search.value.trim(), isAsked = text.length > 1;
    await allSources;
    if (isAsked) await Promise.all(sources.map(source => source.load()));
    // Something else was asked meanwhile.
    if (text !== search.value.trim()) return;
    wanted = isAsked ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi') : null;
    let lines = 0, shown = 0;
    for (const source of sources) {
      const found = isAsked ? source.count() : 0;
      lines += found;
      source.item.hidden = isAsked && !found;
      source.markAll();
      if (found && shown++ < 20) source.open().then(() => source.see(source.first));
    }
    out.textContent = isAsked ? lines + (lines === 1 ? ' line' : ' lines') : '';
  };
  // Who is about to type will want them all.
  search.addEventListener('focus', async () => { await allSources; for (const source of sources) source.load(); });
  search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(look, 150); });
}
