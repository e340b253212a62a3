'use strict';
// Filters the table of claims. Without this script the page shows all of them.
for (const form of document.querySelectorAll('form[data-filters]')) {
  const groups = [...document.getElementById(form.dataset.filters).tBodies].map((body) => {
    const [place, ...rows] = body.rows;
    const searched = (row) => `${place.textContent} ${row.id} ${row.textContent}`.toLowerCase();
    // A literal reading is found and hidden with the claim above it.
    const claims = rows.filter((row) => !row.dataset.reading);
    const readings = (claim) => rows.filter((row) => row.dataset.reading && `claim-${row.dataset.reading}` === claim.id);
    const entry = (row) => ({ row, below: readings(row), text: [row, ...readings(row)].map(searched).join(' ') });
    return { body, rows: claims.map(entry) };
  });
  const shown = form.querySelector('[data-shown]');
  const apply = () => {
    const words = form.elements.text.value.toLowerCase().split(/\s+/);
    const wanted = (row, text) =>
      ['verdict', 'experiment'].every((key) => ['', row.dataset[key]].includes(form.elements[key].value)) &&
      words.every((word) => text.includes(word));
    let count = 0;
    for (const { body, rows } of groups) {
      const visible = rows.filter(({ row, below, text }) => {
        const hidden = !wanted(row, text);
        for (const one of [row, ...below]) one.hidden = hidden;
        return !hidden;
      });
      body.hidden = visible.length === 0;
      count += visible.length;
    }
    shown.textContent = count;
  };
  form.addEventListener('input', apply);
  form.addEventListener('reset', () => setTimeout(apply));
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  apply();
}
// Notes are closed on the screen and open on paper.
const closed = () => document.querySelectorAll('details:not([open])');
let opened = [];
addEventListener('beforeprint', () => {
  opened = [...closed()];
  for (const note of opened) note.open = true;
});
addEventListener('afterprint', () => {
  for (const note of opened) note.open = false;
});
