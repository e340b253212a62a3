{% include "report/cell.js" %}
// Items: by rule, group and words; dots answer to pointer and keyboard. Without this script the first items are listed.
for (const explorer of document.querySelectorAll('.explorer')) {
  const step = 20;
  const find = (selector) => explorer.querySelector(selector);
  const [form, list, rest, more, plot, behind] =
    ['form', 'ol.cards', '.rest', '[data-more]', '[data-plot]', '[data-behind]'].map(find);
  const items = [...explorer.querySelectorAll('.card')].map((card) => ({
    card,
    dot: find(`circle[data-card="${card.id.slice('item-'.length)}"]`),
    text: card.textContent.toLowerCase(),
    ranks: new Map(card.dataset.ranks.split(' ').map((pair) => pair.split(':')).map(([rule, place]) => [rule, Number(place)])),
  }));
  items.forEach((item) => {
    [item.x, item.y] = ['cx', 'cy'].map((place) => Number(item.dot.getAttribute(place)));
  });
  let [wanted, limit, chosen] = [[], step, null];
  const list_up = () => {
    const rule = form.elements.rule.value;
    list.replaceChildren(...wanted.slice(0, limit).map(({ card }) => card));
    wanted.forEach(({ card, dot, ranks }, k) => {
      card.querySelector('.place').textContent = ranks.get(rule);
      dot.classList.toggle('first', k < limit);
    });
    more.hidden = wanted.length <= limit;
  };
  const apply = () => {
    const { rule, group, text } = form.elements;
    const words = text.value.toLowerCase().split(/\s+/);
    const fits = (item) =>
      ['', item.card.dataset.group].includes(group?.value ?? '') && words.every((word) => item.text.includes(word));
    wanted = items.filter((item) => fits(item) && item.ranks.has(rule.value));
    wanted.sort((a, b) => a.ranks.get(rule.value) - b.ranks.get(rule.value));
    const seen = new Set(wanted);
    for (const item of items) item.dot.toggleAttribute('hidden', !seen.has(item));
    find('[data-shown]').textContent = wanted.length;
    limit = step;
    list_up();
    if (chosen && !seen.has(chosen)) choose(null);
  };
  const choose = (item) => {
    chosen?.dot.classList.remove('chosen');
    chosen = item;
    behind.hidden = !item;
    if (!item) return;
    item.dot.classList.add('chosen');
    item.dot.parentNode.append(item.dot);
    behind.replaceChildren(...item.card.cloneNode(true).childNodes);
  };
  const open = (item) => {
    limit = Math.max(limit, wanted.indexOf(item) + 1);
    list_up();
    item.card.tabIndex = -1;
    item.card.focus();
    item.card.scrollIntoView({ block: 'center' });
  };
  const nearest = (far) => {
    let [best, least] = [null, Infinity];
    for (const item of wanted) {
      const distance = far(item);
      if (distance < least) [best, least] = [item, distance];
    }
    return best;
  };
  const svg = plot.querySelector('svg');
  const behind_pointer = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const away = (item) => Math.hypot(item.x - at.x, item.y - at.y);
    const item = nearest(away);
    return item && away(item) < 16 ? item : null;
  };
  svg.addEventListener('pointermove', (event) => {
    const item = behind_pointer(event);
    if (item && item !== chosen) choose(item);
  });
  svg.addEventListener('click', (event) => {
    const item = behind_pointer(event);
    if (item) choose(item);
  });
  const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  plot.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && chosen) return open(chosen);
    if (event.key === 'Escape') return choose(null);
    const way = ways[event.key];
    if (!way && event.key !== 'Home') return;
    event.preventDefault();
    if (!chosen || !way) return choose(wanted[0] ?? null);
    const ahead = (item) => {
      const [dx, dy] = [item.x - chosen.x, item.y - chosen.y];
      const along = dx * way[0] + dy * way[1];
      return along > 0 ? along + 3 * Math.abs(dx * way[1] + dy * way[0]) : Infinity;
    };
    choose(nearest(ahead) ?? chosen);
  });
  for (const link of document.querySelectorAll('a[href^="#items-of-"]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      form.elements.group.value = document.getElementById(link.hash.slice(1)).dataset.group;
      apply();
      form.scrollIntoView();
      form.elements.group.focus();
    });
  }
  // Lists that the filter stands in for; a group's anchor stays, and links to items open them.
  if (rest) rest.hidden = true;
  for (const group of explorer.querySelectorAll('.group')) group.hidden = true;
  more.querySelector('button').addEventListener('click', () => {
    limit += step;
    list_up();
  });
  find('[data-download]').addEventListener('click', () => {
    const rule = form.elements.rule.value;
    const text = (card, part) => card.querySelector(part)?.textContent.trim() ?? '';
    const row = ({ card, ranks }) => [
      ranks.get(rule), card.dataset.id, card.dataset.group, text(card, '.about'), text(card, '.said'), text(card, '.why'),
      text(card, '.parts'), text(card, '.answered'), text(card, '.transcript p'), text(card, '.remarks'),
    ];
    const rows = [['place', 'id', 'group', 'labels', 'text', 'why', 'parts', 'judge', 'transcript', 'remarks'], ...wanted.map(row)];
    const file = new Blob([rows.map((cells) => `${cells.map(csv_cell).join(',')}\n`).join('')], { type: 'text/csv' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(file);
    link.download = `items-by-${rule}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  form.addEventListener('input', apply);
  form.addEventListener('reset', () => setTimeout(apply));
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  find('[data-help]').hidden = false;
  plot.tabIndex = 0;
  plot.setAttribute('role', 'group');
  plot.setAttribute('aria-label', 'Items as dots: arrow keys go from one to the next');
  apply();
  choose(wanted[0] ?? null);
}
// A link to something within a folded section opens it.
const open = () => {
  for (let place = document.getElementById(location.hash.slice(1)); place; place = place.parentElement) {
    if (place.matches('details')) place.open = true;
  }
};
addEventListener('hashchange', open);
open();
