import { type Guarantees, isUuid } from '@ids/core';
import { type ColumnFacts, greatestOf, isNumeric, type SwapFinding } from './facts.js';

/** The greatest number that each numeric type holds. */
const WHOLE: Readonly<Record<string, bigint>> = {
  tinyint: 2n ** 7n - 1n,
  mediumint: 2n ** 23n - 1n,
  smallint: 2n ** 15n - 1n,
  integer: 2n ** 31n - 1n,
  bigint: 2n ** 63n - 1n,
  numeric: 10n ** 100n,
  // They hold greater numbers, but not every whole number.
  real: 2n ** 24n,
  'double precision': 2n ** 53n,
};

/** The types that hold any string. */
const TEXTS = [
  'text',
  'character varying',
  'character',
  'citext',
  'name',
  'tinytext',
  'mediumtext',
  'longtext',
];

/** Whether the column holds numbers, so that `007` and `7` are equal in it. */
export function isNumberColumn({ type }: Pick<ColumnFacts, 'type'>): boolean {
  return WHOLE[type] !== undefined;
}

/** The greatest number that a numeric column holds; undefined for any other column. */
export function greatestIn({ type, maxLength }: ColumnFacts): bigint | undefined {
  const ofType = WHOLE[type];
  if (ofType === undefined || maxLength === undefined) return ofType;
  const ofLength = 10n ** BigInt(maxLength) - 1n;
  return ofLength < ofType ? ofLength : ofType;
}

/** Checks whether the column can hold ids with these guarantees and keep them distinct. */
export function columnFindings(guarantees: Guarantees, column: ColumnFacts): SwapFinding[] {
  const { idType, text } = guarantees;
  const { name, type, maxLength } = column;
  const limit = maxLength === undefined ? '' : `(${maxLength})`;
  const to = `${idType}, up to ${text.maxLength} characters`;
  const about = (verdict: SwapFinding['verdict'], advice: string): SwapFinding => {
    return { about: 'column', verdict, from: `${name} ${type}${limit}`, to, advice };
  };
  return [about(...verdictOn(guarantees, column)), ...collationFindings(text, column)];
}

function verdictOn(
  guarantees: Guarantees,
  column: ColumnFacts,
): [verdict: SwapFinding['verdict'], advice: string] {
  const { text } = guarantees;
  const { type, maxLength = Number.POSITIVE_INFINITY } = column;
  const most = greatestIn(column);
  if (most !== undefined) {
    if (!isNumeric(guarantees))
      return ['danger', `a column of type ${type} cannot hold strings: change its type`];
    const greatest = greatestOf(guarantees);
    if (most < greatest) {
      const wider = greatest <= 2n ** 63n - 1n ? 'make it bigint' : 'make it text';
      return ['danger', `it ends at ${most}, the ids at ${greatest}: ${wider}`];
    }
    if (isPadded(guarantees)) {
      const remedy = 'make it text, or store the ids as they are before "encode"';
      return ['danger', `it drops the leading zeros of ids of ${text.maxLength} digits: ${remedy}`];
    }
    return ['same', 'its type holds the new ids'];
  }
  if (type === 'uuid') {
    return isUuid(text)
      ? ['same', 'its type holds the new ids']
      : ['danger', 'a column of type uuid holds UUIDs only: change its type'];
  }
  if (maxLength < text.maxLength)
    return ['danger', `it holds ${maxLength} characters, the ids have up to ${text.maxLength}`];
  if (TEXTS.includes(type)) return ['same', 'its type holds the new ids'];
  return [
    'change',
    `it holds neither numbers nor text: test whether a column of type ${type} can hold the new ids`,
  ];
}

/** Whether ids are strings of digits with leading zeros: those of a fixed length. */
function isPadded({ idType, text: { minLength, maxLength } }: Guarantees): boolean {
  return idType === 'string' && minLength === maxLength && maxLength > 1;
}

/** Ids of mixed case are no longer unique in a case-insensitive column. */
function collationFindings(
  { caseSensitive = false }: Guarantees['text'],
  { name, ignoresCase }: ColumnFacts,
): SwapFinding[] {
  const from = `${name} ${ignoresCase ? 'ignores' : 'distinguishes'} case`;
  const to = caseSensitive ? 'upper and lower case mixed' : 'one case';
  if (!ignoresCase || !caseSensitive) return [{ about: 'collation', verdict: 'same', from, to }];
  const advice =
    'this column would treat two ids as equal: give it a collation that distinguishes case, or encode as crockford or hex';
  return [{ about: 'collation', verdict: 'danger', from, to, advice }];
}
