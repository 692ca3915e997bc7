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
