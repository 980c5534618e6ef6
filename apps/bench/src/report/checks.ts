import { count, observedText } from '../judge/words.js';
import type { CaseResult, OrderResult, UniquenessResult } from '../schema/case.js';
import { nameCell, type Section, table } from './blocks.js';

/** Which ids were compared. */
export function uniqueness(strategies: readonly CaseResult[]): Section {
  const checked = strategies.flatMap(({ name, uniqueness: found }) => (found ? [{ name, ...found }] : []));
  const compared = table<(typeof checked)[number]>(
    'All ids were recorded and compared in full: no sampling, and no hashes instead of ids',
    [
      ['strategy', ({ name }) => nameCell(name)],
      ['ids', ({ ids }) => count(ids)],
      ['processes at once', ({ processes }) => String(processes)],
      ['duplicates', ({ duplicates }) => count(duplicates)],
      ['took', ({ seconds }) => `${seconds.toFixed(1)} s`],
      ['examples', ({ examples }) => examples.map(exampleText).join('; ')],
    ],
    checked,
  );
  return { title: 'Uniqueness', blocks: [compared, 'No run can show that random bits never collide.'] };
}

function exampleText({ id, first, again }: UniquenessResult['examples'][number]): string {
  return `${id}: process ${first.process} #${first.index}, process ${again.process} #${again.index}`;
}

/** The strongest order that held, and a counterexample to a stronger one. */
export function order(strategies: readonly CaseResult[]): Section {
  const found = table<OrderResult & { readonly name: string }>(
    'The strongest order that held; a run can disprove an order, but not prove it',
    [
      ['strategy', ({ name }) => nameCell(name)],
      ['observed', observedText],
      ['calls', ({ calls }) => count(calls)],
      ['processes', ({ processes }) => String(processes)],
      ['counterexample to a stronger order', ({ counterExample = 'none in this run' }) => counterExample],
    ],
    strategies.flatMap(({ name, order: own }) => (own ? [{ name, ...own }] : [])),
  );
  return { title: 'Order', blocks: [found] };
}
