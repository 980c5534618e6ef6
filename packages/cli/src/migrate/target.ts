import type { ConfiguredGenerator } from '@ids/config';
import type { SqlExecutor } from '@ids/store';
import { columnFacts } from '../columns/column.js';
import { neededBy } from '../tables/generators.js';
import { type Migration, type Origin, refused } from './migration.js';

/** What the command line asks for. */
export interface MigrateRequest {
  readonly from: Origin;
  /** `table.column` or `schema.table.column`. */
  readonly column: string;
  readonly room: bigint;
  readonly stopped: boolean;
}

const DIALECTS = { bigserial: 'postgres', identity: 'postgres', 'auto-increment': 'mysql' } as const;

/** What a generator needs in its database. Rejects one whose IDs are no numbers of a sequence. */
export function sequenceFor(
  generator: ConfiguredGenerator,
  all: readonly ConfiguredGenerator[],
): Pick<Migration, 'needed' | 'entry'> {
  const { name, strategy, store, codec, options } = generator;
  const needed = neededBy(generator, all);
  const entry = needed?.entries[0];
  const accepted =
    'it must issue numbers of a sequence, as segment-inproc or segment-redis-db without encode';
  const isText = codec !== undefined || options.encode !== undefined;
  const keyed = store?.byKey === true;
  if (isText || keyed || store?.position === undefined || needed === undefined || entry === undefined) {
    const has = `${strategy}${isText ? ' with encode, which yields text' : keyed ? ' with keys' : ''}`;
    throw refused(`generators.${name}`, `${accepted}, got ${has}`);
  }
  return { needed, entry };
}

/** Looks at the column. Called again after each step. */
export async function migrationOf(
  database: SqlExecutor,
  name: string,
  sequence: Pick<Migration, 'needed' | 'entry'>,
  { from, column: wanted, room, stopped }: MigrateRequest,
): Promise<Migration> {
  const dialect = database.dialect ?? 'postgres';
  if (DIALECTS[from] !== dialect) {
    const fitting = Object.entries(DIALECTS).flatMap(([origin, of]) => (of === dialect ? [origin] : []));
    const accepted = fitting.length === 0 ? 'there is no such column' : `it must be ${fitting.join(' or ')}`;
    throw refused('--from', `${accepted} in a database of ${dialect}, got "${from}"`);
  }
  // Counted: who may not read the counter is told so.
  const column = await columnFacts(database, wanted, { counted: true });
  if (column.type !== 'bigint') {
    const why = `column ${column.found} must be bigint to hold both ranges, got ${column.type}: give the table a new key column instead (docs/migrating.md)`;
    throw refused('--column', why);
  }
  return { name, from, database, ...sequence, column, room, stopped };
}
