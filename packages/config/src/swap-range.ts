import type { Guarantees } from '@ids/core';
import { haveCommonText } from './common-text.js';
import type { ColumnFacts, SwapFinding, SwapPlan, SwapSide } from './swap-finding.js';

/**
 * Whether new ids can be equal to old ones, and above which number a sequence must
 * start so that they are not.
 */
export function rangeFindings(from: SwapSide, to: SwapSide, column: ColumnFacts | undefined): SwapPlan {
  const [old, young] = [from.guarantees, to.guarantees];
  const oneForm = old.text.pattern.source === young.text.pattern.source;
  if (oneForm && to.sequence !== undefined && to.sequence === from.sequence) {
    return found('same', 'the same sequence', 'the same sequence', 'it goes on where it stands');
  }
  const counted = isNumeric(young) || to.sequence !== undefined;
  if (counted && (oneForm || column?.maxId !== undefined)) {
    return countedRange([from.reserved, column?.maxId], to.reserved);
  }
  return forms(old, young, oneForm);
}

/** Both count: the new one must start above all that the old one gave. */
function countedRange(known: readonly (bigint | undefined)[], reserved: bigint | undefined): SwapPlan {
  const highest = known.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a), undefined);
  const before = highest === undefined ? 'not known' : `up to ${highest}`;
  const after = reserved === undefined ? 'not known' : `from ${reserved + 1n}`;
  if (highest === undefined) {
    const advice =
      'name the column of the old ids (--column table.column) to learn where the new ones must start';
    return found('danger', before, after, advice);
  }
  if (reserved !== undefined && reserved >= highest) {
    return found('same', before, after, 'the new sequence stands above all old ids');
  }
  const advice = `raise the new sequence to ${highest} first: npx --no ids floor <generator> ${highest}, or setFloor`;
  return found('danger', before, after, advice, highest);
}

function forms(old: Guarantees, young: Guarantees, oneForm: boolean): SwapPlan {
  const [from, to] = [String(old.text.pattern), String(young.text.pattern)];
  if (oneForm) {
    const advice =
      'both have one form: ids stay apart only as far as both are unique among all processes, with the same key if obfuscated';
    return found('change', from, to, advice);
  }
  if (areApart(old.text, young.text))
    return found('same', from, to, 'no id of one has the form of the other');
  const advice = 'an id of one may have the form of the other: give the new ones a prefix of their own';
  return found('change', from, to, advice);
}

/** False also where a pattern cannot be read. */
function areApart(a: Guarantees['text'], b: Guarantees['text']): boolean {
  return haveCommonText(a.pattern, b.pattern, Math.min(a.maxLength, b.maxLength)) === false;
}

function found(
  verdict: SwapFinding['verdict'],
  from: string,
  to: string,
  advice: string,
  floor?: bigint,
): SwapPlan {
  return { findings: [{ about: 'overlap', verdict, from, to, advice }], floor };
}

/** Numbers, or texts of decimal digits, from a sequence. */
function isNumeric({ idType, text }: Guarantees): boolean {
  return idType !== 'string' || text.pattern.source.startsWith('^[1-9][0-9]');
}
