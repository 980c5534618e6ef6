// The table of docs/runtimes.md: a row for each program, a column for each runtime.
import { readFileSync, writeFileSync } from 'node:fs';

const MARKED = /(<!-- runs -->\n)([\s\S]*)(\n<!-- \/runs -->)/;

/**
 * Throws unless the table of the page has the outcomes of this run; with `IDS_WRITE_DOCS=1`, writes them.
 * `outcomes`: by column and program, '' or the problem; a column is undefined if its runtime is missing, and
 * is then not compared. Returns how many outcomes were compared.
 */
export function checkTable(page, rows, outcomes) {
  const text = readFileSync(page, 'utf8');
  const [, , before = ''] = MARKED.exec(text) ?? [];
  if (!MARKED.test(text)) throw new Error(`${page} has no <!-- runs --> … <!-- /runs -->`);
  const known = cellsOf(before);
  const columns = Object.keys(outcomes);
  const missing = columns.filter((column) => outcomes[column] === undefined);
  if (missing.length > 0) console.log(`not installed, so not compared: ${missing.join(', ')}`);
  const lines = Object.entries(rows).map(([name, label]) => {
    const cells = columns.map((column) => {
      const problem = outcomes[column]?.[name];
      return problem === undefined ? (known.get(`${label}|${column}`) ?? '?') : problem === '' ? 'yes' : 'no';
    });
    return [label, ...cells];
  });
  const table = markdown(['package', ...columns], lines);
  if (process.env.IDS_WRITE_DOCS === '1') {
    writeFileSync(
      page,
      text.replace(MARKED, (_, start, __, end) => `${start}\n${table}\n${end}`),
    );
  } else {
    const now = cellsOf(table);
    const different = [...now].filter(([key, cell]) => known.get(key) !== cell);
    if (different.length > 0 || now.size !== known.size)
      throw new Error(report(different, known, rows, outcomes));
  }
  console.log(table);
  return lines.length * (columns.length - missing.length);
}

function report(different, known, rows, outcomes) {
  const lines = different.map(([key, cell]) => {
    const [label, column] = key.split('|');
    const name = Object.keys(rows).find((candidate) => rows[candidate] === label);
    const [problem = ''] = (outcomes[column]?.[name] ?? '').split('\n');
    return `${label} on ${column}: ${cell}, not ${known.get(key) ?? 'known before'}. ${problem}`;
  });
  return `docs/runtimes.md must have the table of this run (IDS_WRITE_DOCS=1 writes it):\n${lines.join('\n')}`;
}

/** By `row|column`. */
function cellsOf(table) {
  const [header = [], , ...rows] = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  return new Map(
    rows.flatMap(([label, ...cells]) => cells.map((cell, i) => [`${label}|${header[i + 1]}`, cell])),
  );
}

function markdown(header, lines) {
  const widths = header.map((_, column) => Math.max(...[header, ...lines].map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...lines.map(line)].join('\n');
}
