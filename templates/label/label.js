'use strict';
{% include "report/cell.js" -%}
// Labels a queue: keyboard first, nothing leaves the browser but the file that is saved.
const queue = JSON.parse(document.getElementById('queue').textContent);
const part = (name) => document.querySelector(`[data-${name}]`);
const [start, work, article, choices] = ['start', 'work', 'item', 'choices'].map(part);
// Answers by annotator and item; where the browser stores nothing, for as long as the page is open. Each answer has a key of its
// own: browsers hand storage from one process to the next with delay, and a page that knows less must not overwrite one that
// knows more.
const place = `judge-uncertainty ${queue.digest}`;
const key_of = (name, id) => [place, name, id].join('\n');
let [kept, stored] = [{}, true];
// No prototype: an annotator or item may be called as a method is.
const bare = (object) => Object.assign(Object.create(null), object);
// Runs what needs the browser's storage; what fails is told on the page.
const storing = (use) => {
  try {
    use();
    stored = true;
  } catch {
    stored = false;
  }
  part('unkept').hidden = stored;
};
const take = (key, value) => {
  const [at, name, ...id] = key.split('\n');
  if (at !== place || !id.length) return;
  kept[name] = bare(kept[name]);
  if (value === null) delete kept[name][id.join('\n')];
  else kept[name][id.join('\n')] = JSON.parse(value);
};
// Takes what is stored, unless answers of this page could not be.
const read = () => stored && storing(() => {
  kept = bare({});
  for (let k = 0; k < localStorage.length; k++) take(localStorage.key(k), localStorage.getItem(localStorage.key(k)));
});
const write = (id, given) => {
  kept[annotator] = bare(kept[annotator]);
  if (given) kept[annotator][id] = given;
  else delete kept[annotator][id];
  // What could not be stored before is tried again.
  const unstored = stored ? [] : Object.keys(kept[annotator]);
  storing(() => {
    for (const one of [id, ...unstored]) {
      const answer = kept[annotator][one];
      if (answer) localStorage.setItem(key_of(annotator, one), JSON.stringify(answer));
      else localStorage.removeItem(key_of(annotator, one));
    }
  });
};
storing(() => {
  // Older pages kept all answers under one key, the oldest of them as labels alone.
  for (const [name, answers] of Object.entries(JSON.parse(localStorage.getItem(place) ?? '{}'))) {
    for (const [id, one] of Object.entries(answers)) {
      const answer = typeof one === 'string' ? { label: one } : one;
      if (localStorage.getItem(key_of(name, id)) === null) localStorage.setItem(key_of(name, id), JSON.stringify(answer));
    }
  }
  localStorage.setItem(place, '{}');
});
read();
// Letters of moves are no keys of classes. Where classes are numbers, a digit is the key of its own, and of no other.
const digits = queue.question.classes?.every((name) => /^-?[0-9.]+$/.test(name));
const letters = [...'abdefghijlmopqrtvwy'];
const keys = digits ? queue.question.classes.map((name) => (name.length === 1 ? name : letters.shift()))
  : [...'123456789', ...letters];
let [annotator, at, undone] = [null, 0, []];
// An answer: `label`, or `skipped` with the reason; `comment`; `saved` once it stands in a file, and `gone` if it stood in one
// and was taken back.
const answers = () => kept[annotator] ?? {};
const answer = (item) => (Object.hasOwn(answers(), item.id) ? answers()[item.id] : {});
const label_of = (item) => answer(item).label;
const skipped = (item) => answer(item).skipped !== undefined;
const has = (item) => label_of(item) !== undefined || skipped(item);
const unsaved = () => Object.values(answers()).filter((one) => !one.saved).length;
// Gives an item another answer; nothing at all takes it back.
const set = (item, given) => {
  const before = answer(item);
  const something = Object.values(given).some((value) => value !== undefined);
  if (something) write(item.id, given);
  else write(item.id, before.saved || before.gone ? { gone: true } : undefined);
};
const give = (given) => {
  const item = queue.items[at];
  undone.push([at, answer(item)]);
  const { comment } = answer(item);
  set(item, { ...given, ...(comment ? { comment } : {}) });
};
const make = (name, text, attributes = {}) => {
  const element = Object.assign(document.createElement(name), { textContent: text });
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
};
const say = (problem) => { part('problem').textContent = problem; };
const forward = () => {
  say('');
  go(at + 1 < queue.items.length ? at + 1 : at);
};
const put = (label) => {
  give({ label });
  forward();
};
const skip = (reason) => {
  if (!reason.trim()) return say('Say in a few words why you skip this item.');
  give({ skipped: reason.trim() });
  forward();
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
    if (keys[k]) button.append(make('kbd', keys[k]), keys[k] === name ? '' : ' ');
    if (keys[k] !== name) button.append(name);
    button.addEventListener('click', () => put(name));
    return button;
  }));
};
const go = (to) => {
  at = to;
  const item = queue.items[at];
  const where = make('p', `${at + 1} of ${queue.items.length}`, { class: 'where' });
  article.replaceChildren(where, make('p', item.text));
  const { skipped: why, comment } = answer(item);
  part('skipped').textContent = why === undefined ? '' : `Skipped: ${why}`;
  // A field that is only hidden keeps the keys for a while.
  if (part('reason').contains(document.activeElement)) article.focus();
  part('reason').hidden = true;
  part('comment').value = comment ?? '';
  show_choices(label_of(item));
  count();
};
const count = () => {
  const all = queue.items.length;
  const done = queue.items.filter(has).length;
  const without = queue.items.filter(skipped).length;
  document.querySelector('progress').value = done;
  const skips = without ? `, ${without} skipped` : '';
  part('count').textContent = `${done - without} of ${all} labelled${skips}, ${all - done} to go`;
  part('done').hidden = done < all;
  const left = unsaved();
  part('unsaved').textContent = left ? `${left} not saved to a file yet` : '';
};
const table = () => {
  const row = ({ label, skipped: why, comment }) => [label ?? '', why ?? '', comment ?? ''];
  const filled = queue.items.filter((item) => has(item) || answer(item).comment);
  const rows = filled.map((item) => [item.id, annotator, ...row(answer(item))]);
  return [['id', 'annotator', 'label', 'skipped', 'comment'], ...rows].map((row) => `${row.map(csv_cell).join(',')}\n`).join('');
};
const save = () => {
  keep_comment();
  if (!queue.items.some(has)) return say('There is no label to save yet.');
  const link = make('a', '', { download: `labels-${annotator.replace(/[^\p{L}\p{N}]+/gu, '-')}.csv` });
  link.href = URL.createObjectURL(new Blob([table()], { type: 'text/csv' }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  for (const [id, one] of Object.entries(answers())) write(id, one.gone ? undefined : { ...one, saved: true });
  say('');
  count();
};
// What stands in the field of the comment belongs to the item that is shown.
const keep_comment = () => {
  const item = queue.items[at];
  const comment = part('comment').value.trim() || undefined;
  const before = answer(item);
  if (comment === before.comment) return;
  const { label, skipped: why } = before;
  set(item, { ...(label === undefined ? {} : { label }), ...(why === undefined ? {} : { skipped: why }), ...(comment ? { comment } : {}) });
  count();
};
const undo = () => {
  const last = undone.pop();
  if (!last) return say('There is nothing to undo.');
  const [where, before] = last;
  const { saved, ...given } = before;
  set(queue.items[where], given.gone ? {} : given);
  go(where);
};
const why = () => {
  part('reason').hidden = false;
  const field = part('reason').querySelector('input');
  field.value = answer(queue.items[at]).skipped ?? '';
  field.focus();
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
  clear: () => { give({}); go(at); },
  undo,
  unsure: () => skip('cannot tell'),
  skip: why,
  'skip-so': () => skip(part('reason').querySelector('input').value),
  comment: () => part('comment').focus(),
  help: () => { part('help').open = !part('help').open; },
  save,
  leave: () => {
    [work.hidden, start.hidden, start.elements.annotator.value] = [true, false, ''];
    start.elements.annotator.focus();
  },
};
for (const button of document.querySelectorAll('[data-do]')) {
  button.addEventListener('click', () => {
    keep_comment();
    say('');
    moves[button.dataset.do]();
  });
}
const by_key = {
  ArrowLeft: 'back', ArrowRight: 'next', n: 'open', u: 'clear', z: 'undo', x: 'unsure', k: 'skip', c: 'comment', s: 'save',
  '?': 'help',
};
document.addEventListener('keydown', (event) => {
  if (work.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches('[data-comment], [data-reason] input')) {
    const reason = event.target.matches('input');
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (reason) return skip(event.target.value);
    }
    if (event.key === 'Enter' && !event.shiftKey || event.key === 'Escape') {
      keep_comment();
      part('reason').hidden = true;
      article.focus();
    }
    return;
  }
  const typing = event.target.matches('input');
  if (typing && event.key === 'Enter') return of_score();
  // While a score is typed, arrows and letters that are no part of a number still move.
  const move = by_key[event.key];
  const k = typing ? -1 : keys.indexOf(event.key);
  if (move && !(typing && event.key.startsWith('Arrow') && event.target.value && !event.shiftKey)) {
    event.preventDefault();
    keep_comment();
    say('');
    moves[move]();
  } else if (k >= 0 && queue.question.classes?.[k] !== undefined) {
    event.preventDefault();
    put(queue.question.classes[k]);
  }
});
window.addEventListener('storage', (event) => {
  const shown = () => JSON.stringify({ ...answer(queue.items[at]), saved: undefined });
  const before = shown();
  if (event.key === null) read();
  else if (stored) take(event.key, event.newValue);
  if (work.hidden) return;
  // What is being typed stays, unless another tab has answered this very item.
  if (shown() === before) count();
  else go(at);
});
part('comment').addEventListener('change', keep_comment);
// Labels that stand in no file can be lost with the browser's storage.
window.addEventListener('beforeunload', (event) => {
  if (annotator === null) return;
  keep_comment();
  if (unsaved() > 0) event.preventDefault();
});
start.addEventListener('submit', (event) => {
  event.preventDefault();
  const name = start.elements.annotator.value.trim();
  if (!name) return;
  [annotator, undone] = [name, []];
  read();
  start.hidden = true;
  work.hidden = false;
  const first = queue.items.findIndex((item) => !has(item));
  go(first < 0 ? 0 : first);
  if (!queue.question.score) article.focus();
});
start.hidden = false;
