import type { WithinCaller, WithinSeries } from '@ids/conformance';
import type { IdGenerator } from '@ids/core';
import type { FileDialect, SqlDialect } from '@ids/local-services/dialects';
import { generatorWithin, nextWithin } from '../../../src/index.js';
import { type Caller, type NumberDatabase, openCaller, openNumberDatabase } from '../number-database.js';

/** How a caller takes a number: as the product does, or as a mutant. */
export type Take = (caller: Caller, key: string, database: NumberDatabase) => Promise<number>;

const takeNext: Take = ({ tx }, key, { table }) => nextWithin(tx, 'invoice', key, { table });

/** A generator over the transaction of a caller: the product, or a mutant. */
export type Generate = (caller: Caller, key: string, database: NumberDatabase) => IdGenerator<number>;

const generatorOver: Generate = ({ tx }, key, { table }) => generatorWithin(tx, 'invoice', key, { table });

export interface SeriesOptions {
  readonly take?: Take;
  readonly generate?: Generate;
  /** The statement that begins a transaction; default `BEGIN`. */
  readonly begin?: string;
  /** Where callers connect; default the database itself. */
  readonly url?: (database: NumberDatabase) => string;
}

/** A series in tables of its own, and what a case of the kit does with it. */
export async function openSeries(
  kind: SqlDialect | FileDialect,
  options: SeriesOptions = {},
): Promise<WithinSeries> {
  const database = await openNumberDatabase(kind);
  const { session, invoices } = database;
  const url = options.url?.(database) ?? database.url;
  return {
    connect: async () => withinCaller(await openCaller(url), database, options),
    documents: async (key) => {
      const rows = await session.query(`SELECT number FROM ${invoices} WHERE customer = '${key}'`);
      return rows.map(({ number }) => Number(number));
    },
  };
}

function withinCaller(
  caller: Caller,
  database: NumberDatabase,
  { take = takeNext, generate = generatorOver, begin = 'BEGIN' }: SeriesOptions,
): WithinCaller {
  const run = async (sql: string) => void (await caller.run(sql));
  return {
    begin: () => run(begin),
    next: (key) => take(caller, key, database),
    generator: (key) => generate(caller, key, database),
    write: (key, number) => run(`INSERT INTO ${database.invoices} VALUES (${number}, '${key}')`),
    save: () => run('SAVEPOINT kit'),
    undo: () => run('ROLLBACK TO SAVEPOINT kit'),
    commit: () => run('COMMIT'),
    rollback: () => run('ROLLBACK'),
    drop: () => caller.drop(),
    collided: (error) => ['40001', '40P01', 'ER_LOCK_DEADLOCK'].includes(String(Object(error).code)),
  };
}
