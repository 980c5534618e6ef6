import { count, nanoseconds } from '../judge/words.js';
import type { FaultResult } from '../schema/run.js';
import { type Cell, listed, nameCell, type Section, table } from './blocks.js';

const NOTE =
  'Three processes with 8 callers each request ids throughout, on servers of their own. "Lost": numbers that were never issued, including those that processes still held at the end of the run. "Longest without": the longest time without an id in any process.';

export function faults(results: readonly FaultResult[]): Section {
  const what = new Map(results.map((one) => [one.fault, one.what]));
  const found = table<FaultResult>(
    'Faults, each on separate servers',
    [
      ['fault', ({ fault }) => fault, 20],
      ['strategy', ({ strategy }) => nameCell(strategy), 18],
      ['ids', idsCell, 9],
      ['repeated', measured(repeatedCell), 10],
      ['lost', measured(({ lost }) => (lost === undefined ? '-' : count(lost))), 8],
      ['longest without', measured(({ withoutIdsMs }) => nanoseconds(withoutIdsMs * 1e6)), 8],
      ['failed calls', measured(({ errors, firstError }) => ({ text: count(errors), note: firstError }))],
    ],
    results,
  );
  const skipped = results.flatMap((one) => (one.skipped ? [`${one.fault}: ${one.skipped}`] : []));
  const failed = results.flatMap((one) =>
    one.failed ? [`${one.strategy}: ${one.fault}: ${one.failed}`] : [],
  );
  return {
    title: 'Faults',
    blocks: [
      found,
      NOTE,
      ...listed(
        'What happened',
        [...what].map(([fault, text]) => `${fault}: ${text}.`),
      ),
      ...listed('Skipped', skipped),
      ...listed('Failed', failed),
    ],
  };
}

/** Nothing was measured where the fault was skipped or failed. */
function measured(of: (result: FaultResult) => Cell): (result: FaultResult) => Cell {
  return (result) => (result.skipped === undefined && result.failed === undefined ? of(result) : '-');
}

function idsCell({ ids, skipped, failed }: FaultResult): Cell {
  if (failed !== undefined) return { text: 'failed', bad: true };
  return skipped === undefined ? count(ids) : 'skipped';
}

function repeatedCell({ duplicates, example }: FaultResult) {
  return { text: count(duplicates), note: example && `such as ${example}`, bad: duplicates > 0 };
}
