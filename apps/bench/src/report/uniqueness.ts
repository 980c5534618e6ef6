import { count } from '../judge/words.js';
import type { CaseResult } from '../schema/case.js';
import { html, type Markup, nameCell, type Section, table } from './markup.js';

/** Which ids were compared, and the remaining chance of a collision of random bits. */
export function uniquenessSection(strategies: readonly CaseResult[]): Section {
  const body = html`${uniquenessTable(strategies)}
${birthdayTable(strategies)}`;
  return { title: 'Uniqueness', body };
}

function uniquenessTable(strategies: readonly CaseResult[]): Markup {
  return table(
    'All ids were recorded and compared in full: no sampling, and no hashes instead of ids',
    ['strategy', 'ids', 'processes at once', 'duplicates', 'took', 'examples'],
    strategies.flatMap(({ name, uniqueness }) => {
      if (uniqueness === undefined) return [];
      const { ids, processes, duplicates, examples, seconds } = uniqueness;
      const which = examples.map(
        ({ id, first, again }) =>
          html`<div><code>${id}</code>: process ${first.process} #${first.index}, process ${again.process} #${again.index}</div>`,
      );
      return [
        [
          nameCell(name),
          count(ids),
          String(processes),
          count(duplicates),
          `${seconds.toFixed(1)} s`,
          html`${which}`,
        ],
      ];
    }),
  );
}

const PROCESSES = [1_000, 1_000_000];

function birthdayTable(strategies: readonly CaseResult[]): Markup {
  const random = strategies.flatMap(({ name, anatomy, uniqueness }) =>
    anatomy?.randomBits === undefined
      ? []
      : [{ name, bits: anatomy.randomBits, here: uniqueness?.processes ?? 1 }],
  );
  if (random.length === 0) return html``;
  return html`<p>No run can show that random bits never collide. The birthday bound is the chance that any two processes draw the same bits; even then, ids are
equal only if all their other parts are equal too:</p>
${table(
  'Birthday bound of random parts',
  ['strategy', 'random bits', 'the processes of this run', ...PROCESSES.map((n) => `${count(n)} processes`)],
  random.map(({ name, bits, here }) => [
    nameCell(name),
    String(bits),
    ...[here, ...PROCESSES].map((processes) => chanceText(birthdayBound(processes, bits))),
  ]),
)}`;
}

/** The chance that any two of `draws` are equal: 1 - e^(-n (n - 1) / 2^(bits + 1)). */
export function birthdayBound(draws: number, bits: number): number {
  return -Math.expm1((-draws * (draws - 1)) / 2 ** (bits + 1));
}

function chanceText(chance: number): string {
  if (chance === 0) return 'none';
  if (chance > 0.01) return `${(chance * 100).toPrecision(2)} %`;
  return `1 in ${Number((1 / chance).toPrecision(2)).toLocaleString('en')}`;
}
