import type { Guarantees } from '@ids/core';
import type { ColumnFacts, SwapFinding } from './swap-finding.js';

/** The greatest number that each type of whole numbers holds. */
const WHOLE: Readonly<Record<string, bigint>> = {
  smallint: 2n ** 15n - 1n,
  integer: 2n ** 31n - 1n,
  bigint: 2n ** 63n - 1n,
  numeric: 10n ** 100n,
};

/** Whether the column can hold ids with these guarantees and keep them apart. */
export function columnFindings({ idType, text }: Guarantees, column: ColumnFacts): SwapFinding[] {
  const { name, type, maxLength } = column;
  const limit = maxLength === undefined ? '' : `(${maxLength})`;
  const to = `${idType}, up to ${text.maxLength} characters`;
  const about = (verdict: SwapFinding['verdict'], advice: string): SwapFinding => {
    return { about: 'column', verdict, from: `${name} ${type}${limit}`, to, advice };
  };
  const findings: SwapFinding[] = [];
  const most = WHOLE[type];
  const digitsOnly = idType !== 'string' || text.pattern.source.startsWith('^[1-9][0-9]');
  if (most !== undefined && !digitsOnly)
    findings.push(about('danger', `a column of type ${type} holds no texts: change its type`));
  else if (most !== undefined && most < BigInt(Number.MAX_SAFE_INTEGER)) {
    findings.push(
      about('danger', `it ends at ${most}, the ids at ${Number.MAX_SAFE_INTEGER}: make it bigint`),
    );
  } else if (most === undefined && maxLength !== undefined && maxLength < text.maxLength) {
    findings.push(about('danger', `it holds ${maxLength} characters, the ids have up to ${text.maxLength}`));
  } else findings.push(about('same', 'it holds the new ids'));
  findings.push(...collationFindings(text, column));
  return findings;
}

/** Ids that mix cases lose their uniqueness where case is ignored. */
function collationFindings(
  { caseSensitive = false }: Guarantees['text'],
  { name, ignoresCase }: ColumnFacts,
): SwapFinding[] {
  const from = `${name} ${ignoresCase ? 'ignores' : 'minds'} case`;
  const to = caseSensitive ? 'upper and lower case mixed' : 'one case';
  if (!ignoresCase || !caseSensitive) return [{ about: 'collation', verdict: 'same', from, to }];
  const advice =
    'two ids may be one to this column: give it a collation that minds case, or encode as crockford or hex';
  return [{ about: 'collation', verdict: 'danger', from, to, advice }];
}
