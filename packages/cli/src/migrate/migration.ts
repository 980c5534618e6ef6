import { IdError, isIdError } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import type { FoundColumn } from '../columns/found-column.js';
import { dialectOf } from '../dialects/any-dialect.js';
import { WAIT_SECONDS } from '../dialects/own-transaction.js';
import type { NeededEntry, NeededTable } from '../tables/generators.js';
import { refusable } from '../tables/schema-step.js';
import { inTransaction } from '../tables/transaction.js';

/** How a database numbers a column by itself. */
export const ORIGINS = ['bigserial', 'identity', 'auto-increment'] as const;

export type Origin = (typeof ORIGINS)[number];

/** A column that its database numbers, and the generator that takes over. */
export interface Migration {
  /** The name of the generator. */
  readonly name: string;
  readonly from: Origin;
  readonly database: SqlExecutor;
  readonly needed: NeededTable;
  readonly entry: NeededEntry;
  readonly column: FoundColumn;
  /** How many IDs old processes, and on the way back new ones, may still take. */
  readonly room: bigint;
  /** Whether the user says that no process takes IDs from the database any more. */
  readonly stopped: boolean;
}

/** One step of docs/migrating.md. One without `take` is the user's. */
export interface Step {
  readonly do:
    | 'release'
    | 'bound'
    | 'accept'
    | 'create'
    | 'raise'
    | 'look'
    | 'deploy'
    | 'stop'
    | 'remove'
    | 'limit'
    | 'restore'
    | 'deploy-old';
  readonly done: boolean;
  readonly text: string;
  readonly sql?: readonly string[];
  take?(): Promise<void>;
}

/** Where a migration is, by its database alone, and what is to do. */
export interface Plan {
  readonly found: Readonly<Record<string, string | bigint | undefined>>;
  readonly steps: readonly Step[];
}

/** The error for a column that cannot be taken over as asked. */
export function refused(option: string, why: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `${option}: ${why}`);
}

export const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** The last ID of a new sequence. */
export function assertFits({ entry }: Migration, floor: bigint): void {
  const last = entry.store.position?.last ?? 0n;
  if (floor < last) return;
  const why = `IDs of "${entry.name}" would begin above ${floor}, and end at ${last}: fewer must be left to the old processes`;
  throw refused('--room', why);
}

/**
 * Runs statements that alter a table: in one transaction, if the database can. Each gives up soon if other
 * transactions hold what it needs, since the statements of others wait behind it.
 */
export async function alter({ needed, database, column }: Migration, sql: readonly string[]): Promise<void> {
  const { beforeAltering, gaveUp } = dialectOf(database);
  const what = `alter what numbers ${column.found}`;
  const instead = `${sql.join('; ')}; then call this again`;
  const altering = () =>
    inTransaction(needed.database, async (tx) => {
      const { query } = tx as { query(text: string): Promise<unknown> };
      for (const statement of [...beforeAltering, ...sql]) await query.call(tx, statement);
    });
  try {
    await refusable(database, { what, right: 'ALTER', table: column.sql.table, instead }, altering);
  } catch (error) {
    if (isIdError(error) || !gaveUp(error)) throw error;
    throw new IdError(
      'ERR_IDS_TIMEOUT',
      `${sql[0]}: gave up after ${WAIT_SECONDS} s, since a transaction that uses ${column.found} is open; nothing was changed: run it again when that has ended`,
      { cause: error },
    );
  }
}

/** How long the old numbering must stand still before it is removed. */
const WATCH_MS = 3_000;

/** Rejects if the database still gives numbers, although nobody should take them any more. */
export async function assertStill(
  { column }: Migration,
  lastOf: () => Promise<bigint | undefined>,
): Promise<void> {
  const before = await lastOf();
  await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  const after = await lastOf();
  if (before === after) return;
  const why = `the database gave ${column.found} numbers up to ${after} meanwhile, ${before} before: an old process still runs. Nothing was removed`;
  throw refused('--stopped', why);
}

/** The step that users take between the two halves of a migration, and how the next call knows of it. */
export function usersSteps({ name, stopped }: Migration, deployed: boolean, gone: boolean): readonly Step[] {
  return [
    {
      do: 'deploy',
      done: deployed || gone,
      text: `deploy the version that passes an ID of ${name} in each INSERT; the next call finds its first IDs`,
    },
    {
      do: 'stop',
      done: stopped || gone,
      text: `wait until no old process is left, then call again with --stopped: it looks for ${WATCH_MS / 1_000} s whether the database still gives numbers`,
    },
  ];
}

/** Raises the sequence of the generator, or creates it. Later IDs are above `floor`. */
export async function raiseTo({ database, entry }: Migration, floor: bigint): Promise<void> {
  await entry.store.position?.raise(database, floor);
}
