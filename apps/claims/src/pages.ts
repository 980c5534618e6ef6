import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StatedClaim } from './claim.js';
import type { Measured, MeasuredClaim } from './measured.js';
import type { Claim } from './results.js';

/** The pages that state claims, between marks that name packages or claims. */
export const PAGES = [
  'docs/objectid.md',
  ...['objectid', 'uuid7', 'gpid', 'snowflake', 'segment-inproc', 'segment-redis-db'].map(
    (name) => `packages/${name}/README.md`,
  ),
] as const;

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MARKED = /(<!-- claims ([^>]+) -->\n)[\s\S]*?(<!-- \/claims -->)/g;

/** A page with its claims, as they are stated and were measured, between the marks. */
export function statePage(text: string, stated: readonly StatedClaim[], measured: Measured): string {
  return text.replace(MARKED, (_, start: string, names: string, end: string) => {
    const body = stateClaims(claimsNamed(names, stated), measured);
    return `${start}\n${body}\n\n${end}`;
  });
}

/** The ids of the claims that a page states. */
export function statedBy(text: string, stated: readonly StatedClaim[]): string[] {
  return [...text.matchAll(MARKED)].flatMap(([, , names = '']) =>
    claimsNamed(names, stated).map(({ claim }) => claim.id),
  );
}

export async function readPage(page: string): Promise<string> {
  return readFile(join(ROOT, page), 'utf8');
}

export async function writePages(stated: readonly StatedClaim[], measured: Measured): Promise<void> {
  for (const page of PAGES) {
    await writeFile(join(ROOT, page), statePage(await readPage(page), stated, measured));
  }
}

/** All claims of a package, or the one of that id, for each name. */
function claimsNamed(names: string, stated: readonly StatedClaim[]): StatedClaim[] {
  return names
    .trim()
    .split(/\s+/)
    .flatMap((name) => {
      const found = stated.filter(({ claim }) => claim.package === name || claim.id === name);
      if (found.length === 0)
        throw new Error(`<!-- claims ${names.trim()} -->: no package or claim is named "${name}"`);
      return found;
    });
}

/** By what is done with an id a table of two dimensions; a list of the others. */
function stateClaims(chosen: readonly StatedClaim[], measured: Measured): string {
  const [name = ''] = chosen.map(({ claim }) => claim.package);
  const { machine, claims = {} } = measured[name] ?? {};
  const cell = ({ claim }: StatedClaim) => `${statedText(claim)}${measuredText(claims[claim.id], claim)}`;
  const compared = chosen.filter(({ use }) => use !== undefined);
  const others = chosen.filter(({ use }) => use === undefined);
  return [
    note(
      name,
      machine,
      chosen.map(({ claim }) => claims[claim.id]),
    ),
    ...(compared.length > 0 ? [usesTable(compared, cell)] : []),
    ...(others.length > 0
      ? [
          table(
            ['', 'claimed, measured'],
            others.map((one) => [one.claim.text, cell(one)]),
          ),
        ]
      : []),
  ].join('\n\n');
}

function note(
  name: string,
  machine: string | undefined,
  figures: readonly (MeasuredClaim | undefined)[],
): string {
  const first = `\`pnpm claims --only=${name}\`, in a clone, checks these claims`;
  if (machine === undefined) return `${first}:`;
  const intervals = figures.every((figure) => figure === undefined || figure.low !== undefined);
  const what = intervals
    ? 'the median of one run, and its 95 % interval in parentheses'
    : 'the median of one run';
  return `${first}.\nBeside each one is ${what} (${machine}):`;
}

/** `≥ 6` */
function statedText({ direction, threshold }: Claim): string {
  return `${direction === 'at least' ? '≥' : '≤'} ${threshold}`;
}

/** `: 8.6 (8.4 to 8.8)` */
function measuredText(figure: MeasuredClaim | undefined, { always }: Claim): string {
  if (figure === undefined) return '';
  const { median, low, high } = figure;
  if (always) return `: ${high ?? median}`;
  return `: ${median}${low === undefined || (low === median && high === median) ? '' : ` (${low} to ${high})`}`;
}

function usesTable(chosen: readonly StatedClaim[], cell: (one: StatedClaim) => string): string {
  const columns = [...new Set(chosen.map(({ use }) => use?.column ?? ''))];
  const rows = [...new Set(chosen.map(({ use }) => use?.row ?? ''))];
  return table(
    ['times as fast, claimed: measured', ...columns],
    rows.map((row) => {
      const cells = columns.map((column) =>
        chosen.filter(({ use }) => use?.row === row && use.column === column).map(cell),
      );
      return [row, ...cells.map(([text = '']) => text)];
    }),
  );
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) =>
    Math.max(3, ...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
