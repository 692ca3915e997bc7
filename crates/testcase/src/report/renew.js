// The run goes on: the page is read again, unless somebody filters, searches or selects.
const OPENED = 'polypath-open';
Promise.all([allErrors, allSources]).then(() => {
  for (const id of JSON.parse(sessionStorage.getItem(OPENED) || '[]')) {
    const item = document.getElementById(id);
    if (item) item.open = true;
  }
});
const again = () => {
  const isBusy = [...document.querySelectorAll('input')].some(input => input.value) || String(getSelection());
  if (isBusy) { setTimeout(again, 2000); return; }
  fetch(location.pathname).then(() => {
    sessionStorage.setItem(OPENED, JSON.stringify([...document.querySelectorAll('details[open]')].map(item => item.id)));
    location.reload();
  }, () => { document.querySelector('.verdict').textContent += ' (the run has ended)'; });
};
setTimeout(again, 2000);
