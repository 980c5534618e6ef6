import { count, nanoseconds, rateText, ratioText } from '../judge/words.js';
import type { CaseResult } from '../schema/case.js';
import type { LoopResult } from '../schema/figures.js';
import { nameCell, type Section, table } from './blocks.js';

type Row = LoopResult & Pick<CaseResult, 'name'>;

/** The closed loops of numbers by key. */
export function keyed(cases: readonly CaseResult[]): Section {
  const note =
    'One process, closed loops: each caller calls again as soon as it gets an answer. A million keys at random, most of which are new; by Zipf, key n is requested 1/n as often as the first one. With keys in use: 20,000 keys, each of which had been used, and had 10,000 ids reserved with its first one. Of each loop, 1,000 ids were compared.';
  const rows = cases.flatMap(({ name, loops = [] }) => loops.map((loop): Row => ({ name, ...loop })));
  const found = table<Row>(
    'Numbers per second',
    [
      ['case', ({ name }) => nameCell(name), 20],
      ['callers', ({ concurrency }) => count(concurrency), 8],
      ['ids/s (95 %)', ({ idsPerSecond }) => rateText(idsPerSecond), 20],
      ['new', ({ firstUses = 0 }) => `${Math.round(100 * firstUses)} %`, 6],
      ['p50', ({ p50 }) => nanoseconds(p50)],
      ['p99', ({ p99 }) => nanoseconds(p99), 9],
      ['compared', ({ ratios: [first] }) => (first ? ratioText(first) : ''), 18],
      ['with', ({ ratios: [first] }) => first?.control ?? ''],
      [
        'others',
        ({ ratios: [, ...more] }) => more.map((one) => `${ratioText(one)}: ${one.control}`).join(', '),
      ],
    ],
    rows,
  );
  return { title: 'Numbers by key', blocks: [note, found] };
}
