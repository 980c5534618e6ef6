import { type Guarantees, isAsStrong, type STRENGTHS } from '@ids/core';
import { columnFindings } from './column-findings.js';
import type { ColumnFacts, SwapFinding, SwapOptions, SwapPlan, SwapSide } from './facts.js';
import { rangeOf } from './findings.js';
import { keysFinding } from './keys.js';
import { orderFinding, stepsOf } from './steps.js';

/**
 * Plans the swap of a service from the ids of `from` to those of `to`: what changes for the service, its
 * columns and its data, and the steps. Opens nothing and never throws because a swap is unsafe: facts about
 * the column and the sequences are passed in, and the plan states what is unknown.
 */
export function planSwap(
  from: SwapSide,
  to: SwapSide,
  column?: ColumnFacts,
  options: SwapOptions = {},
): SwapPlan {
  const refused = keysFinding(from, to);
  if (refused !== undefined) return { findings: [refused], floor: undefined, steps: [] };
  const lost = lossFindings(from, to);
  const range = rangeOf(from, to, column, options);
  const { finding, floor } = range;
  const findingsOn = (facts?: ColumnFacts): SwapFinding[] =>
    facts === undefined ? [] : columnFindings(to.guarantees, facts);
  const { newColumn } = options;
  const [onColumn, onNewColumn] = [findingsOn(column), findingsOn(newColumn)];
  const ofColumn = newColumn === undefined ? onColumn : onNewColumn;
  return {
    findings: [
      ...promiseFindings(from.guarantees, to.guarantees),
      finding,
      ...orderFinding(from, to, range),
      ...lost,
      ...sequenceFindings(from, to),
      ...onColumn,
      ...onNewColumn,
    ],
    floor: lost.length > 0 ? undefined : floor,
    steps: lost.length > 0 ? [] : stepsOf(from, to, { ...range, ofColumn }, options),
  };
}

/** A table that lost reservations does not know how far its ids went. */
function lossFindings(from: SwapSide, to: SwapSide): SwapFinding[] {
  if (from.pending !== true && to.pending !== true) return [];
  const [before, after] = [from, to].map(({ pending }) => (pending ? 'may lack ids' : 'complete'));
  const advice =
    'its table was restored or its server promoted: do what npx --no -- ids doctor says, then plan again';
  return [{ about: 'sequence', verdict: 'danger', from: before ?? '', to: after ?? '', advice }];
}

/** No findings if nothing is missing. */
function sequenceFindings({ missing: old }: SwapSide, { missing: young }: SwapSide): SwapFinding[] {
  if (old === undefined && young === undefined) return [];
  const advice =
    young === undefined
      ? 'the sequence of the old ids is missing: is this the right database?'
      : `create it once the config names the generator: npx --no -- ids apply (${young})`;
  const [from, to] = [old, young].map((missing) => (missing === undefined ? 'nothing missing' : 'missing'));
  return [{ about: 'sequence', verdict: 'change', from: from ?? '', to: to ?? '', advice }];
}

function promiseFindings(from: Guarantees, to: Guarantees): SwapFinding[] {
  const strength = <P extends keyof typeof STRENGTHS>(
    about: string,
    promise: P,
    before: (typeof STRENGTHS)[P][number],
    after: (typeof STRENGTHS)[P][number],
  ): SwapFinding =>
    isAsStrong(promise, after, before)
      ? compared(about, before, after, 'change', 'stronger than before')
      : compared(about, before, after, 'danger', 'weaker than before: check for code that relies on it');
  return [
    compared(
      'type',
      from.idType,
      to.idType,
      'change',
      to.idType === 'bigint'
        ? 'columns and parameters now hold a bigint, which JSON.stringify rejects'
        : `columns, parameters and JSON now hold a ${to.idType}`,
    ),
    compared(
      'width',
      `${from.text.maxLength} characters`,
      `${to.text.maxLength} characters`,
      'change',
      to.text.maxLength > from.text.maxLength
        ? `give columns and fields room for ${to.text.maxLength}`
        : 'columns and fields for the old ids are wide enough for the new ones',
    ),
    compared(
      'string form',
      String(from.text.pattern),
      String(to.text.pattern),
      'change',
      'adapt code that validates ids',
    ),
    strength('unique', 'unique', from.unique, to.unique),
    strength('order in a process', 'orderInProcess', from.order.process, to.order.process),
    strength('order across processes', 'orderInCluster', from.order.cluster, to.order.cluster),
    compared(
      'strings sort',
      yesNo(from.text.sortable),
      yesNo(to.text.sortable),
      from.text.sortable ? 'danger' : 'change',
      from.text.sortable
        ? 'ORDER BY on the string no longer returns the order of issue'
        : 'strings now sort like ids',
    ),
    compared(
      'case',
      yesNo(from.text.caseSensitive ?? false),
      yesNo(to.text.caseSensitive ?? false),
      'change',
      to.text.caseSensitive
        ? 'ids may differ in case only: columns, file names and caches must distinguish case'
        : 'ids no longer differ in case only',
    ),
    strength('gaps', 'gaps', from.gaps, to.gaps),
    compared(
      'nextSync',
      yesNo(from.sync),
      yesNo(to.sync),
      from.sync ? 'danger' : 'change',
      from.sync ? 'calls to nextSync no longer compile' : 'nextSync can be used',
    ),
    compared('backends', listed(from.backends), listed(to.backends), 'change', 'other backends must run'),
    compared(
      'discloses',
      listed(from.discloses),
      listed(to.discloses),
      to.discloses.some((what) => !from.discloses.includes(what)) ? 'danger' : 'change',
      'outsiders can learn other things from ids',
    ),
  ];
}

function compared(
  about: string,
  from: string,
  to: string,
  verdict: SwapFinding['verdict'],
  advice: string,
): SwapFinding {
  return from === to ? { about, verdict: 'same', from, to } : { about, verdict, from, to, advice };
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function listed(names: readonly string[]): string {
  return names.join(', ') || 'nothing';
}
