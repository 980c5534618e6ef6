import Table from 'cli-table3';
import pc from 'picocolors';
import type { OutputStream } from './command.js';

/** A table row: cells, and a colour for the first one. */
export interface Row {
  readonly cells: readonly string[];
  readonly mood?: 'good' | 'bad' | 'odd';
}

/** The width of a terminal that does not report one. */
const COLUMNS = 80;

/**
 * On a terminal: a table that fits its width, in colour unless NO_COLOR is set. Elsewhere: one line per row,
 * with tabs between cells and no header.
 */
export function writeTable(stream: OutputStream, head: readonly string[], rows: readonly Row[]): void {
  if (stream.isTTY !== true) {
    for (const { cells } of rows)
      stream.write(`${cells.map((cell) => cell.replace(/\s+/g, ' ')).join('\t')}\n`);
    return;
  }
  const colors = pc.createColors(!process.env.NO_COLOR);
  const paint = { good: colors.green, bad: colors.red, odd: colors.yellow };
  const [fitHead = [], ...fitRows] = fitCells(
    [head, ...rows.map(({ cells }) => cells)],
    stream.columns ?? COLUMNS,
  );
  const table = new Table({ head: fitHead, style: { head: [], border: [], compact: true } });
  for (const [row, cells] of fitRows.entries()) {
    const mood = rows[row]?.mood;
    table.push(cells.map((cell, index) => (index === 0 && mood ? paint[mood](cell) : cell)));
  }
  stream.write(`${table.toString()}\n`);
}

/** Writes one line of JSON. A bigint becomes a string, since JSON parsers would round it. */
export function writeJson(stream: OutputStream, value: unknown): void {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
  stream.write(`${text}\n`);
}

/** A table of strings; the first line is its header. */
type Lines = readonly (readonly string[])[];

/** The minimum width of a column, whatever the terminal. */
const NARROWEST = 6;

/** Columns that a table keeps if it is too wide; the others are stacked in the last one. */
const KEPT = 2;

/**
 * Breaks cells into lines so that the table, with borders and a space around each cell, fits `columns`
 * characters.
 */
function fitCells(table: Lines, columns: number): string[][] {
  if (widthOf(naturalWidths(table)) <= columns) return table.map((line) => [...line]);
  const folded = (table[0]?.length ?? 0) > KEPT + 1 ? foldColumns(table) : table;
  const widths = naturalWidths(folded);
  while (widthOf(widths) > columns && Math.max(...widths) > NARROWEST) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return folded.map((line) => line.map((cell, index) => wrap(cell, widths[index] ?? NARROWEST)));
}

/** Puts the name of its column before each stacked cell, except the last one, which needs none. */
function foldColumns([head = [], ...rows]: Lines): string[][] {
  const names = head.slice(KEPT);
  const fold = (line: readonly string[]): string =>
    line
      .slice(KEPT)
      .map((cell, index) => (index === names.length - 1 || cell === '' ? cell : `${names[index]}: ${cell}`))
      .filter((cell) => cell !== '')
      .join('\n');
  return [
    [...head.slice(0, KEPT), names.join(', ')],
    ...rows.map((line) => [...line.slice(0, KEPT), fold(line)]),
  ];
}

function naturalWidths(table: Lines): number[] {
  const widths: number[] = [];
  for (const line of table) {
    for (const [index, cell] of line.entries()) {
      const longest = Math.max(...cell.split('\n').map((text) => text.length));
      widths[index] = Math.max(widths[index] ?? 0, longest);
    }
  }
  return widths;
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 3, 1);
}

/** Breaks between words, and inside words that are longer than a line. */
function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const lines = [''];
      for (const word of line.split(' ').flatMap((it) => piecesOf(it, width))) {
        const joined = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
        if (joined.length <= width) lines.splice(-1, 1, joined);
        else lines.push(word);
      }
      return lines;
    })
    .join('\n');
}

function piecesOf(word: string, width: number): string[] {
  return word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [''];
}
