import type { Estimate, Ratio } from '../measure/statistics.js';

/** A primary key as a table has it. */
export interface Shape {
  /** `objectid as bytea` */
  readonly name: string;
  /** Absent for what people use otherwise. */
  readonly strategy?: string;
  /** The SQL type of the column. */
  readonly type: string;
  /** SQL that gives a column `id` of that type from the array of texts `$1`. */
  readonly select: string;
}

/** What an id costs the index of its primary key. */
export interface IndexCost {
  readonly name: string;
  readonly strategy?: string;
  readonly type: string;
  readonly rows: number;
  readonly rowsPerSecond: Estimate;
  /** To `bigserial`, paired by batch; absent for itself. */
  readonly ratio?: Ratio;
  /** The rate of the last quarter over that of the first: below 1, it slows down as the index grows. */
  readonly slope: number;
  readonly indexBytesPerRow: number;
  readonly walBytesPerRow: number;
  /** How full the leaf pages are, in percent; `null` where the server has no `pgstattuple`. */
  readonly leafDensity: number | null;
}

/** Needs no ids: the database makes its own. */
export const BIGSERIAL: Shape = {
  name: 'bigserial',
  type: 'bigserial',
  select: "SELECT nextval('$sequence') AS id FROM unnest($1::text[])",
};

export const UUID_V7: Shape = { name: 'UUIDv7', type: 'uuid', select: textsAs('uuid') };
export const UUID_V4: Shape = { name: 'UUIDv4', type: 'uuid', select: textsAs('uuid') };

function textsAs(type: string): string {
  return `SELECT one::${type} AS id FROM unnest($1::text[]) AS one`;
}

/**
 * How ids of a strategy are stored: by their type, and 24 hex digits as the bytes that they stand for too.
 */
export function shapesOf(strategy: string, idType: string, pattern: RegExp): Shape[] {
  if (idType !== 'string') {
    return [{ name: `${strategy} as bigint`, strategy, type: 'bigint', select: textsAs('bigint') }];
  }
  const hex = pattern.test('0'.repeat(24)) && !pattern.test('0'.repeat(23));
  if (!hex) {
    const type = 'text COLLATE "C"';
    return [
      {
        name: `${strategy} as text`,
        strategy,
        type,
        select: 'SELECT one AS id FROM unnest($1::text[]) AS one',
      },
    ];
  }
  return [
    {
      name: `${strategy} as bytea`,
      strategy,
      type: 'bytea',
      select: "SELECT decode(one, 'hex') AS id FROM unnest($1::text[]) AS one",
    },
    {
      name: `${strategy} as char(24)`,
      strategy,
      type: 'char(24) COLLATE "C"',
      select: 'SELECT one AS id FROM unnest($1::text[]) AS one',
    },
  ];
}
