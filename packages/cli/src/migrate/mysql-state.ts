import { bytesOf, mysqlTable } from '@ids/store/mysql';
import { mysqlDeclaration } from '../columns/mysql-declaration.js';
import { later, type Migration, refused } from './migration.js';
import { reservedOf } from './sequence.js';

/** So far above the new IDs is what `AUTO_INCREMENT` gives, once it was moved out of their way. */
const REACH = 400_000_000_000n;

/** Above which old processes go on, unless new ones are far already. */
const SECOND = 1_000_000_000_000n;

export interface MysqlState {
  /** Of the column, without `AUTO_INCREMENT`. */
  readonly declared: string;
  readonly numbered: boolean;
  /** The last number that `AUTO_INCREMENT` gave. */
  readonly last: bigint;
  readonly maxId: bigint;
  readonly reserved: bigint | undefined;
  /** Whether the generator has reserved IDs. */
  readonly used: boolean;
  /** Whether the counter is above the new IDs. */
  readonly raised: boolean;
  /** The greatest row above what the generator has reserved, and below the old rows. */
  readonly misplaced: bigint | undefined;
}

/** Reads where a migration is. Rejects if the column is not numbered, and no migration has ended that. */
export async function mysqlState(migration: Migration): Promise<MysqlState> {
  const { database, column } = migration;
  const { table, column: quoted } = column.sql;
  const create = await mysqlDeclaration(database, table);
  const line = create.split('\n').find((one) => one.trimStart().startsWith(`${quoted} `)) ?? '';
  const declaration = line.trim().replace(/,$/, '');
  const numbered = / AUTO_INCREMENT\b/.test(withoutComment(declaration));
  const counted = /^\).*?\bAUTO_INCREMENT=(\d+)/m.exec(create)?.[1] ?? '1';
  const last = numbered ? BigInt(counted) - 1n : 0n;
  const misplacedAbove = (await reservedOf(migration)) ?? 0n;
  const { rows } = await database.execute(
    `SELECT CAST(MAX(${quoted}) AS char) AS max FROM ${table} WHERE ${quoted} > ${misplacedAbove} AND ${quoted} <= ${misplacedAbove + REACH}`,
    [],
  );
  // After the rows: new processes reserve before they insert.
  const reserved = await reservedOf(migration);
  const above = typeof rows[0]?.max === 'string' ? BigInt(rows[0].max) : 0n;
  if (!numbered && reserved === undefined) {
    const why = `column ${column.found} has no AUTO_INCREMENT, and "${migration.entry.name}" has no sequence that has taken over`;
    throw refused('--from', `${why}, got "${migration.from}"`);
  }
  return {
    declared: declaration.replace(' AUTO_INCREMENT', ''),
    numbered,
    last,
    maxId: later(column.maxId ?? 0n, 0n),
    reserved,
    used: reserved !== undefined && (await isUsed(migration)),
    raised: reserved !== undefined && last >= SECOND && last - reserved >= REACH,
    misplaced: above > (reserved ?? above) ? above : undefined,
  };
}

/** A comment may contain anything. */
function withoutComment(declaration: string): string {
  return declaration.replace(/ COMMENT '.*$/, '');
}

async function isUsed({ database, needed, entry }: Migration): Promise<boolean> {
  const { quoted } = mysqlTable(needed.table);
  const text = `SELECT grants > 0 AS used FROM ${quoted} WHERE server_name = ${bytesOf(entry.name)}`;
  const { rows } = await database.execute(text, []);
  return Number(rows[0]?.used) !== 0;
}

/** The number from which old processes go on, out of the way of new ones. */
export function outOfTheWay({ reserved = 0n, maxId, last }: MysqlState): bigint {
  const second = reserved <= SECOND - REACH ? SECOND : reserved + SECOND;
  return later(second, later(maxId, last)) + 1n;
}
