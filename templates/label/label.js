'use strict';
// Labels a queue: keyboard first, nothing leaves the browser but the file that is saved.
const queue = JSON.parse(document.getElementById('queue').textContent);
const part = (name) => document.querySelector(`[data-${name}]`);
const [start, work, article, choices] = ['start', 'work', 'item', 'choices'].map(part);
// Labels by annotator and item; where the browser stores nothing, for as long as the page is open.
const place = `judge-uncertainty ${queue.digest}`;
let [kept, stored] = [{}, true];
// Takes what other tabs have stored meanwhile, unless labels of this tab could not be stored.
const read = () => {
  try {
    if (stored) kept = JSON.parse(localStorage.getItem(place) ?? '{}');
  } catch {
    stored = false;
  }
};
const keep = () => {
  try {
    localStorage.setItem(place, JSON.stringify(kept));
    stored = true;
  } catch {
    stored = false;
  }
  part('unkept').hidden = stored;
};
read();
keep();
const keys = [...'123456789abcdefghijklmopqrtvwxyz'];
let [annotator, at] = [null, 0];
// No prototype: an annotator or item may be called as a method is.
const bare = (object) => Object.assign(Object.create(null), object);
const labels = () => kept[annotator] ?? {};
const has = (item) => Object.hasOwn(labels(), item.id);
const change = (edit) => {
  read();
  kept = bare(kept);
  kept[annotator] = bare(kept[annotator]);
  edit(kept[annotator]);
  keep();
};
const make = (name, text, attributes = {}) => {
  const element = Object.assign(document.createElement(name), { textContent: text });
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
};
const say = (problem) => { part('problem').textContent = problem; };
const put = (label) => {
  change((mine) => { mine[queue.items[at].id] = label; });
  say('');
  go(at + 1 < queue.items.length ? at + 1 : at);
};
const of_score = () => {
  const field = choices.querySelector('input');
  const { low, high } = queue.question.score;
  // What the study reads is a number with a point; no rounding, no grouping.
  const text = field.value.trim();
  if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(text)) return say(`${JSON.stringify(text)} is no number such as 3.5.`);
  if (Number(text) < low || Number(text) > high) return say(`${text} is outside ${low} to ${high}.`);
  put(text);
};
const show_choices = (label) => {
  if (queue.question.score) {
    const { low, high } = queue.question.score;
    const field = make('input', '', { id: 'score', inputmode: 'decimal', autocomplete: 'off', value: label ?? '' });
    const save = make('button', 'Enter', { type: 'button' });
    save.addEventListener('click', of_score);
    choices.replaceChildren(make('label', `Score from ${low} to ${high}`, { for: 'score' }), field, save);
    field.focus();
    field.select();
    return;
  }
  choices.replaceChildren(...queue.question.classes.map((name, k) => {
    const button = make('button', '', { type: 'button', 'aria-pressed': String(name === label) });
    if (keys[k]) button.append(make('kbd', keys[k]), ' ');
    button.append(name);
    button.addEventListener('click', () => put(name));
    return button;
  }));
};
const go = (to) => {
  at = to;
  const item = queue.items[at];
  const where = make('p', `${at + 1} of ${queue.items.length}`, { class: 'where' });
  article.replaceChildren(where, make('p', item.text));
  show_choices(labels()[item.id]);
  count();
};
const count = () => {
  const done = queue.items.filter(has).length;
  document.querySelector('progress').value = done;
  part('count').textContent = `${done} of ${queue.items.length} labelled`;
  part('done').hidden = done < queue.items.length;
};
const cell = (text) => /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
const table = () => {
  const rows = queue.items.filter(has).map((item) => [item.id, annotator, labels()[item.id]]);
  return [['id', 'annotator', 'label'], ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('');
};
const save = () => {
  if (!queue.items.some(has)) return say('There is no label to save yet.');
  const link = make('a', '', { download: `labels-${annotator.replace(/[^\p{L}\p{N}]+/gu, '-')}.csv` });
  link.href = URL.createObjectURL(new Blob([table()], { type: 'text/csv' }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say('');
};
const open = () => {
  const after = [...queue.items.keys()].map((k) => (at + 1 + k) % queue.items.length);
  const next = after.find((k) => !has(queue.items[k]));
  if (next !== undefined) go(next);
};
const moves = {
  back: () => go(Math.max(at - 1, 0)),
  next: () => go(Math.min(at + 1, queue.items.length - 1)),
  open,
  clear: () => { change((mine) => { delete mine[queue.items[at].id]; }); go(at); },
  save,
  leave: () => { work.hidden = true; start.hidden = false; start.elements.annotator.focus(); },
};
for (const button of document.querySelectorAll('[data-do]')) {
  button.addEventListener('click', () => { say(''); moves[button.dataset.do](); });
}
const by_key = { ArrowLeft: 'back', ArrowRight: 'next', n: 'open', u: 'clear', s: 'save' };
document.addEventListener('keydown', (event) => {
  if (work.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches('input');
  if (typing && event.key === 'Enter') return of_score();
  // While a score is typed, arrows and letters that are no part of a number still move.
  const move = by_key[event.key];
  const k = typing ? -1 : keys.indexOf(event.key);
  if (move && !(typing && event.key.startsWith('Arrow') && event.target.value && !event.shiftKey)) {
    event.preventDefault();
    say('');
    moves[move]();
  } else if (k >= 0 && queue.question.classes?.[k] !== undefined) {
    event.preventDefault();
    put(queue.question.classes[k]);
  }
});
window.addEventListener('storage', (event) => {
  if (event.key !== place) return;
  const before = annotator && labels()[queue.items[at].id];
  read();
  if (work.hidden) return;
  // What is being typed stays, unless another tab has labelled this very item.
  if (labels()[queue.items[at].id] === before) count();
  else go(at);
});
start.addEventListener('submit', (event) => {
  event.preventDefault();
  const name = start.elements.annotator.value.trim();
  if (!name) return;
  annotator = name;
  change(() => {});
  start.hidden = true;
  work.hidden = false;
  const first = queue.items.findIndex((item) => !has(item));
  go(first < 0 ? 0 : first);
  if (!queue.question.score) article.focus();
});
start.hidden = false;
