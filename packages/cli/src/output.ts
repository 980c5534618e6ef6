import Table from 'cli-table3';
import pc from 'picocolors';
import type { OutputStream } from './context.js';
import { fitCells } from './fit-cells.js';

/** A row for people: cells, and a colour for what needs attention. */
export interface Row {
  readonly cells: readonly string[];
  readonly mood?: 'good' | 'bad' | 'odd';
}

/** Of a terminal that does not tell its width. */
const COLUMNS = 80;

/**
 * A table on a terminal, as wide as that at most, in colour unless NO_COLOR is set; elsewhere a line per row,
 * cells apart by tabs, without a head.
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

/** One line of JSON. A bigint is written as a string, since JSON readers round it. */
export function writeJson(stream: OutputStream, value: unknown): void {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
  stream.write(`${text}\n`);
}
