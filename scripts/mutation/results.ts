import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TARGETS } from './targets.js';

/** Counts of one full run of a target. */
export interface MutationResult {
  readonly mutants: number;
  /** Those that a test failed for or that never ended; at most `mutants`. */
  readonly killed: number;
}

const RESULTS = fileURLToPath(new URL('results.json', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/internal/mutation-testing.md', import.meta.url));
const TABLE = /(?<=<!-- results -->\n).*?(?=<!-- \/results -->)/s;

/** `97.5 %` */
export function scoreText({ mutants, killed }: MutationResult): string {
  return `${((100 * killed) / mutants).toFixed(1)} %`;
}

/** Stores the result of a target, and writes the table of docs/internal/mutation-testing.md anew. */
export function storeResult(name: string, result: MutationResult): void {
  const results = { ...readResults(), [name]: result };
  const lines = Object.keys(TARGETS).flatMap((target) => {
    const { mutants, killed } = results[target] ?? {};
    return mutants === undefined ? [] : [`  "${target}": { "mutants": ${mutants}, "killed": ${killed} }`];
  });
  writeFileSync(RESULTS, `{\n${lines.join(',\n')}\n}\n`);
  writePage();
}

/** Writes the table from the stored results. */
export function writePage(): void {
  writeFileSync(PAGE, expectedPage());
}

/** Whether the table on the page is that of the stored results. */
export function pageIsCurrent(): boolean {
  return readFileSync(PAGE, 'utf8') === expectedPage();
}

function expectedPage(): string {
  const text = readFileSync(PAGE, 'utf8');
  if (!TABLE.test(text))
    throw new Error('docs/internal/mutation-testing.md has no <!-- results --> ... <!-- /results -->');
  return text.replace(TABLE, `\n${table(readResults())}\n\n`);
}

function readResults(): Partial<Record<string, MutationResult>> {
  return JSON.parse(readFileSync(RESULTS, 'utf8'));
}

/** A row for each target, in their order; a target that was never run has no figures. */
function table(results: Partial<Record<string, MutationResult>>): string {
  const rows = Object.entries(TARGETS).map(([name, { folder, mutate = ['src/**/*.ts'] }]) => {
    const result = results[name];
    const figures =
      result === undefined ? ['', '', ''] : [result.mutants, result.killed, scoreText(result)].map(String);
    return [`\`${name}\``, mutate.map((glob) => `\`${folder}/${glob}\``).join(', '), ...figures];
  });
  const header = ['name', 'what is changed', 'mutants', 'killed', 'score'];
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
