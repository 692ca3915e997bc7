// Texts that the page keeps packed (report/later.rs): one is unpacked with all of its script, once.
// They stand at the end, and the page is at work before they are read.
const whole = new Promise(done => document.readyState === 'loading' ? addEventListener('DOMContentLoaded', done) : done());
if (!window.DecompressionStream) document.querySelector('main').insertAdjacentHTML('afterbegin',
  '<div class="notice"><b>This browser cannot unpack</b> the sources, and most of the tests and errors: it is too old.</div>');
const unpacked = new Map();
function textsOf(number) {
  if (!unpacked.has(number)) unpacked.set(number, whole.then(() => unpack(document.getElementById('later' + number))));
  return unpacked.get(number);
}
function bytesOf(base64) {
  // Newer browsers only.
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
async function unpack(script) {
  const bytes = bytesOf(script.textContent);
  script.remove();
  // (As quick again as a `Response` of a `Blob`'s stream.)
  const {readable, writable} = new DecompressionStream('deflate'), writer = writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  const reader = readable.getReader(), decoder = new TextDecoder();
  let text = '';
  for (let part; !(part = await reader.read()).done;) text += decoder.decode(part.value, {stream: true});
  await written;
  return text.split('\0');
}
// The text that belongs to an element, or null if it has none.
async function later(element) {
  const name = element.dataset.later;
  if (!name) return null;
  const [script, text] = name.split('-').map(Number);
  return (await textsOf(script))[text];
}

// The entries of a list that are packed. It is at work without them, and they come when it has been painted.
const painted = new Promise(done => requestAnimationFrame(() => setTimeout(done)));
async function restOf(list) {
  await whole;
  // A page that nobody looks at is not painted.
  if (!document.hidden) await painted;
  const template = document.createElement('template');
  template.innerHTML = await later(list) ?? '';
  return [...template.content.children];
}
const idle = () => new Promise(done => window.requestIdleCallback ? requestIdleCallback(done, {timeout: 100}) : setTimeout(done));
// Puts them behind the others, some at a time.
async function appendRest(list, use) {
  const items = await restOf(list);
  for (let first = 0; first < items.length; first += 200) {
    const some = items.slice(first, first + 200);
    list.append(...some);
    use(some);
    await idle();
  }
}
