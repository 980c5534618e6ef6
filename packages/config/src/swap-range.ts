import type { Guarantees } from '@ids/core';
import type { ColumnFacts, SwapFinding, SwapPlan, SwapSide } from './swap-plan.js';

/** Whether new ids can be equal to old ones, and above which number a sequence must start so that they are not. */
export function rangeFindings(from: SwapSide, to: SwapSide, column: ColumnFacts | undefined): SwapPlan {
  const oneForm = from.guarantees.text.pattern.source === to.guarantees.text.pattern.source;
  if (to.sequence !== undefined && to.sequence === from.sequence && (oneForm || isNumeric(to.guarantees))) {
    return found('same', 'the same sequence', 'the same sequence', undefined, 'it goes on where it stands');
  }
  if (!isNumeric(to.guarantees)) return textOverlap(from, to);
  const known = [column?.maxId, isNumeric(from.guarantees) ? from.reserved : undefined];
  const highest = known.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a), undefined);
  const before = highest === undefined ? 'not known' : `up to ${highest}`;
  const after = to.reserved === undefined ? 'not known' : `from ${to.reserved + 1n}`;
  if (highest === undefined) {
    return isNumeric(from.guarantees)
      ? found(
          'danger',
          before,
          after,
          undefined,
          'name the column of the old ids (--column table.column) to learn where the new ones must start',
        )
      : found('same', shown(from), shown(to), undefined, 'a number is no text of the old form');
  }
  if (to.reserved !== undefined && to.reserved >= highest) {
    return found('same', before, after, undefined, 'the new sequence stands above all old ids');
  }
  return found(
    'danger',
    before,
    after,
    highest,
    `raise the new sequence first: setFloor(executor, name, ${highest}), or createSequence with startAfter: ${highest}`,
  );
}

function textOverlap(from: SwapSide, to: SwapSide): SwapPlan {
  const [old, young] = [from.guarantees.text, to.guarantees.text];
  if (old.pattern.source !== young.pattern.source) {
    return found(
      'same',
      shown(from),
      shown(to),
      undefined,
      'the forms differ; an id of one is not expected to have the form of the other',
    );
  }
  const advice =
    'both have one form: they stay apart only as far as each is unique by itself, and with the same text options and key';
  return found('change', shown(from), shown(to), undefined, advice);
}

function found(
  verdict: SwapFinding['verdict'],
  from: string,
  to: string,
  floor: bigint | undefined,
  advice: string,
): SwapPlan {
  return { findings: [{ about: 'overlap', verdict, from, to, advice }], floor };
}

/** Numbers, or texts of decimal digits, from a sequence. */
function isNumeric({ idType, text }: Guarantees): boolean {
  return idType !== 'string' || text.pattern.source.startsWith('^[1-9][0-9]');
}

function shown({ guarantees }: SwapSide): string {
  return String(guarantees.text.pattern);
}
