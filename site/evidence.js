// The tables of the page "Evidence": one at a time, as a figure of one of its columns and as rows, both filtered.
'use strict';
(() => {
  const tables = JSON.parse(document.getElementById('evidence-tables').textContent);
  const at = (name) => document.querySelector(`#evidence [name=${name}]`);
  const make = (tag, attributes, text) => {
    const svg = ['svg', 'line', 'circle', 'text', 'title'].includes(tag);
    const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const number = (cell) => (cell.trim() === '' ? NaN : Number(cell.replace('%', '')));
  const isNumeric = (table, column) => {
    const cells = table.rows.map((row) => row[column]).filter((cell) => cell.trim() !== '');
    return cells.length > 0 && cells.filter((cell) => !Number.isNaN(number(cell))).length > cells.length / 2;
  };
  // Shares of intervals that contain the truth were promised to be 95%.
  const isCoverage = (name) => /coverage|holds|that hold|covered/.test(name);
  let order = null;

  const chosen = () => tables[at('table').value];

  const shownRows = () => {
    const words = at('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = chosen().rows.filter((row) => words.every((word) => row.join(' ').toLowerCase().includes(word)));
    if (order) {
      const { column, down } = order;
      rows.sort((a, b) => {
        const [x, y] = [number(a[column]), number(b[column])];
        const by = Number.isNaN(x) || Number.isNaN(y) ? a[column].localeCompare(b[column]) : x - y;
        return down ? -by : by;
      });
    }
    return rows;
  };

  // A dot for each row: the value across, rows downwards in groups of the first column.
  const figure = (rows) => {
    const table = chosen();
    const column = Number(at('column').value);
    const points = rows.map((row) => [row, number(row[column])]).filter(([, value]) => !Number.isNaN(value));
    const groups = [...new Set(points.map(([row]) => row[0]))].slice(0, 40);
    const height = 30 + 16 * groups.length;
    const svg = make('svg', { viewBox: `0 0 700 ${height}`, role: 'img', 'aria-label': `${table.title}: ${table.header[column]}` });
    if (points.length === 0) return svg;
    const coverage = isCoverage(table.header[column]);
    const promised = coverage ? (points.some(([, value]) => value > 1.5) ? 95 : 0.95) : null;
    const values = points.map(([, value]) => value).concat(promised === null ? [] : [promised]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const x = (value) => 190 + (490 * (value - low)) / (high - low || 1);
    for (const tick of [low, (low + high) / 2, high]) {
      svg.append(make('line', { x1: x(tick), x2: x(tick), y1: 4, y2: height - 22 }));
      svg.append(make('text', { x: x(tick), y: height - 8, 'text-anchor': 'middle' }, String(Number(tick.toPrecision(3)))));
    }
    if (promised !== null) svg.append(make('line', { class: 'promised', x1: x(promised), x2: x(promised), y1: 4, y2: height - 22 }));
    groups.forEach((group, i) => svg.append(make('text', { x: 180, y: 17 + 16 * i, 'text-anchor': 'end' }, group.length > 30 ? group.slice(0, 29) + '…' : group)));
    for (const [row, value] of points) {
      const i = groups.indexOf(row[0]);
      if (i < 0) continue;
      const dot = make('circle', { cx: x(value), cy: 13 + 16 * i, r: 4 });
      dot.append(make('title', {}, table.header.map((name, k) => `${name}: ${row[k]}`).join('\n')));
      svg.append(dot);
    }
    return svg;
  };

  const rowsOf = (rows) => {
    const table = make('table', {});
    const head = make('tr', {});
    chosen().header.forEach((name, column) => {
      const cell = make('th', { scope: 'col', tabindex: 0 }, name);
      const sort = () => {
        order = { column, down: order !== null && order.column === column && !order.down };
        show();
      };
      cell.addEventListener('click', sort);
      cell.addEventListener('keydown', (event) => event.key === 'Enter' && sort());
      head.append(cell);
    });
    table.append(make('thead', {}));
    table.tHead.append(head);
    const body = make('tbody', {});
    for (const row of rows) {
      const line = make('tr', {});
      row.forEach((cell) => line.append(make('td', {}, cell)));
      body.append(line);
    }
    table.append(body);
    return table;
  };

  const show = () => {
    const rows = shownRows();
    document.getElementById('evidence-count').textContent = `${rows.length} of ${chosen().rows.length} rows`;
    document.getElementById('evidence-figure').replaceChildren(figure(rows));
    document.getElementById('evidence-rows').replaceChildren(rowsOf(rows));
  };

  const choose = () => {
    const table = chosen();
    order = null;
    at('filter').value = '';
    const numeric = table.header.map((_, column) => column).filter((column) => isNumeric(table, column));
    at('column').replaceChildren(...numeric.map((column) => make('option', { value: column }, table.header[column])));
    at('column').value = numeric.find((column) => isCoverage(table.header[column])) ?? numeric[numeric.length - 1] ?? '';
    const made = document.getElementById('evidence-made');
    made.replaceChildren(make('code', {}, table.command), `, ${table.seeds || 'no seeds'}, commit ${table.commit}, ${table.date}; `);
    made.append(make('a', { href: table.file }, table.file));
    show();
  };

  at('table').addEventListener('change', () => {
    window.history.replaceState(null, '', `#${chosen().file}`);
    choose();
  });
  ['column', 'filter'].forEach((name) => at(name).addEventListener('input', show));
  const named = tables.findIndex((table) => `#${table.file}` === window.location.hash);
  at('table').value = Math.max(named, 0);
  choose();
})();
