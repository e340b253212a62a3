// A cell of a table that leaves the page as CSV. As in the program's own tables, no cell is a formula: one that begins
// with these characters, behind any number of apostrophes, and is no number gets an apostrophe.
const csv_cell = (value) => {
  const text = String(value);
  const bare = text.replace(/^'+/, '');
  const is_number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare);
  const formula = /^[=+\-@\t\r\n＝＋－＠]/.test(bare) && !is_number;
  return `"${formula ? "'" : ''}${text.replaceAll('"', '""')}"`;
};
