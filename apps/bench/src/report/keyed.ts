import { count, nanoseconds, rateText, ratioText } from '../judge/words.js';
import type { CaseResult } from '../schema/case.js';
import type { LoopResult } from '../schema/figures.js';
import { nameCell, type Section, table } from './blocks.js';

/** Without a loop: a case that failed, or was skipped. */
type Row = Pick<CaseResult, 'name' | 'status'> & { readonly loop?: LoopResult };

/** The closed loops of numbers by key. */
export function keyed(cases: readonly CaseResult[]): Section {
  const note =
    'One process, closed loops: each caller calls again as soon as it gets an answer. A million keys at random, most of which are new; by Zipf, key n is requested 1/n as often as the first one. With keys in use: 20,000 keys, each of which had been used, and had 10,000 ids reserved with its first one. Of each loop, 1,000 ids were compared.';
  const rows = cases.flatMap(({ name, status, loops = [] }): Row[] =>
    loops.length === 0 ? [{ name, status }] : loops.map((loop) => ({ name, status, loop })),
  );
  const found = table<Row>(
    'Numbers per second',
    [
      ['case', ({ name }) => nameCell(name), 20],
      ['callers', measured(({ concurrency }) => count(concurrency)), 8],
      [
        'ids/s (95 %)',
        ({ status, loop }) =>
          loop ? rateText(loop.idsPerSecond) : { text: status, bad: status === 'failed' },
        20,
      ],
      ['new', measured(({ firstUses = 0 }) => `${Math.round(100 * firstUses)} %`), 6],
      ['p50', measured(({ p50 }) => nanoseconds(p50))],
      ['p99', measured(({ p99 }) => nanoseconds(p99)), 9],
      ['compared', measured(({ ratios: [first] }) => (first ? ratioText(first) : '')), 18],
      ['with', measured(({ ratios: [first] }) => first?.control ?? '')],
      [
        'others',
        measured(({ ratios: [, ...more] }) =>
          more.map((one) => `${ratioText(one)}: ${one.control}`).join(', '),
        ),
      ],
    ],
    rows,
  );
  return { title: 'Numbers by key', blocks: [note, found] };
}

function measured(of: (loop: LoopResult) => string): (row: Row) => string {
  return ({ loop }) => (loop ? of(loop) : '-');
}
