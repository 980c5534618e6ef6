import { nameLines, nanoseconds, ratioText } from '../judge/words.js';
import type { Ratio } from '../schema/figures.js';
import type { Markup } from './markup.js';

// What a report consists of. Each section is described once, and shown on the page and in the terminal.

/** A text, with what to know about it on a smaller line. `bad`: something is wrong. */
export interface NotedText {
  readonly text: string;
  readonly note?: string | undefined;
  readonly bad?: boolean;
}

export type Cell = string | NotedText;

/** `width`: characters in the terminal, where a column without one is left out. */
export type Column<Row> = readonly [title: string, of: (row: Row) => Cell, width?: number | undefined];

interface RowGroup {
  readonly heading?: string;
  readonly rows: readonly (readonly Cell[])[];
}

export interface Table {
  readonly caption: string;
  readonly titles: readonly string[];
  /** By column; `undefined` where the terminal leaves it out. */
  readonly widths: readonly (number | undefined)[];
  readonly groups: readonly RowGroup[];
}

interface List {
  readonly items: readonly string[];
}

interface Code {
  readonly code: string;
}

/** A string is a paragraph, markup is for the page only, and a section in another is folded there. */
export type Block = string | Table | List | Code | Markup | Section;

export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** `more`: further rows, each under a heading of its own. */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  more: Readonly<Record<string, readonly Row[]>> = {},
): Table {
  const cells = (all: readonly Row[]) => all.map((row) => columns.map(([, of]) => of(row)));
  const others = Object.entries(more).filter(([, all]) => all.length > 0);
  return {
    caption,
    titles: columns.map(([title]) => title),
    widths: columns.map(([, , width]) => width),
    groups: [{ rows: cells(rows) }, ...others.map(([heading, all]) => ({ heading, rows: cells(all) }))],
  };
}

/** Nothing, if there is nothing to list. */
export function listed(title: string, items: readonly string[]): Section[] {
  return items.length === 0 ? [] : [{ title, blocks: [{ items }] }];
}

/** The name of a case, with its options on a line of their own. */
export function nameCell(name: string): NotedText {
  const [text, options] = nameLines(name);
  return { text, note: options && `with ${options}` };
}

/** The first of the ratios: to the usual alternative. */
export function ratioCell([ratio]: readonly Ratio[]): NotedText {
  return ratio ? { text: ratioText(ratio), note: ratio.control } : { text: '' };
}

/** `-` if there were too few calls. */
export function latencyCell(latency: number | null | undefined): string {
  return latency == null ? '-' : nanoseconds(latency);
}
