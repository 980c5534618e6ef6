import pc from 'picocolors';
import { durationText } from '../judge/words.js';
import type { BenchResult } from '../schema/run.js';
import type { Block, Cell, Section, Table } from './blocks.js';
import type { ReportPaths } from './files.js';
import { Markup } from './markup.js';
import type { Report } from './sections.js';

const WIDTH = 80;

type RunFacts = Pick<BenchResult, 'profile' | 'seconds' | 'processes' | 'environment'>;
type Color = (text: string) => string;
type Paint = Readonly<Record<'bold' | 'red', Color>>;

/**
 * What decides, and what is wrong, at most 80 columns wide; in colour on a terminal unless NO_COLOR is set.
 */
export function renderTerminal(
  run: RunFacts,
  { decision, verdicts, details, notices }: Report,
  paths: ReportPaths,
  stream: { readonly isTTY?: boolean | undefined },
): string {
  const paint = pc.createColors(stream.isTTY === true && !process.env.NO_COLOR);
  const shown = details.filter(({ blocks }) => blocks.some(hasWidths));
  const [table, notes] = decision ? [decision.slice(0, 1), decision.slice(1)] : [[], []];
  const parts = [
    header(run, paint),
    ...[...table, ...verdicts, ...notes, ...shown].map((one) => sectionText(one, paint)),
    ...notices.map((one) => paint.red(sectionText(one, paint))),
    Object.entries({ report: paths.html, data: paths.json, config: paths.config })
      .flatMap(([name, path]) => (path === undefined ? [] : [`${name.padEnd(8)}${path}`]))
      .join('\n'),
  ];
  return `\n${parts.join('\n\n')}\n`;
}

function hasWidths(block: Block): boolean {
  return typeof block === 'object' && 'widths' in block && block.widths.some((width) => width !== undefined);
}

function header(
  { profile, seconds, processes, environment: { node, redis, postgres, cores, cpu } }: RunFacts,
  { bold }: Paint,
): string {
  const run = [profile, durationText(seconds), `node ${node}`];
  if (redis) run.push(`redis ${redis}`);
  if (postgres) run.push(`postgres ${postgres}`);
  return `${bold('ids bench')}  ${run.join(' · ')}\n${wrapped(`${cores} cores (${cpu}) · ${processes} processes`)}`;
}

function sectionText({ title, blocks }: Section, paint: Paint): string {
  const texts = blocks.flatMap((block) => (block instanceof Markup ? [] : [blockText(block, paint)]));
  return [wrapped(title).replace(/.+/g, paint.bold), ...texts].join('\n');
}

function blockText(block: Exclude<Block, Markup>, paint: Paint): string {
  if (typeof block === 'string') return wrapped(block, '  ', '    ');
  if ('groups' in block) return tableText(block, paint);
  if ('items' in block) return block.items.map((item) => wrapped(item, '  ', '    ')).join('\n');
  if ('code' in block) return block.code;
  return `\n${sectionText(block, paint)}`;
}

/** Columns that do not fit follow in a table of their own, for the rows that have something in them. */
function tableText({ titles, widths, groups }: Table, paint: Paint): string {
  const [first = 0] = widths;
  const tables: number[][] = [];
  let used = WIDTH;
  for (const [column, width] of widths.entries()) {
    if (width === undefined || column === 0) continue;
    if (used + width > WIDTH) {
      tables.push([0]);
      used = first;
    }
    tables.at(-1)?.push(column);
    used += width;
  }
  const texts = tables.map((columns) => {
    const row = (cells: readonly Cell[], color: Color = String) =>
      rowText(
        columns.map((column) => [cells[column] ?? '', widths[column] ?? 0]),
        color,
        paint,
      );
    const bodies = groups.flatMap(({ heading, rows }) => {
      const told = rows.filter((cells) => columns.slice(1).some((column) => cells[column]));
      return [...(heading && told.length > 0 ? [wrapped(heading)] : []), ...told.map((cells) => row(cells))];
    });
    return [row(titles, paint.bold), ...bodies].join('\n');
  });
  return texts.join('\n\n');
}

function rowText(
  cells: readonly (readonly [cell: Cell, width: number])[],
  color: Color,
  { red }: Paint,
): string {
  const columns = cells.map(([cell, width]) => {
    const { text, note, bad } = typeof cell === 'string' ? ({ text: cell } as const) : cell;
    const lines = [text, ...(note ? [`(${note})`] : [])].flatMap((one) => broken(one, width - 1));
    return { lines, width, color: bad ? red : color };
  });
  const height = Math.max(...columns.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, y) => {
    const last = columns.findLastIndex(({ lines }) => lines[y]);
    return columns
      .slice(0, last + 1)
      .map(({ lines: { [y]: line = '' }, width, color: own }, i) =>
        own(i === last ? line : line.padEnd(width)),
      )
      .join('');
  }).join('\n');
}

function wrapped(text: string, firstIndent = '', indent = ''): string {
  const lines = broken(text, WIDTH - indent.length);
  return lines.map((line, i) => `${i === 0 ? firstIndent : indent}${line}`).join('\n');
}

/** Breaks a text at spaces, and a longer word anywhere. */
function broken(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  const words = text.split(/\s+/).flatMap((word) => word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? '');
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}
