import { formatValue } from '@ids/core/strategy';
import { mysql2Connection, pgClient, postgresJs } from './drivers.js';
import { drizzle, knex, kysely, prisma, typeorm } from './orms.js';
import type { TransactionPort } from './port.js';
import { hasCalls, type Shape } from './recogniser.js';
import { drizzleSqlite, libsqlTransaction, sqliteHandle } from './sqlite.js';

// TypeORM and Knex first: what they hand out has the calls of a driver, too.
const RECOGNISERS = [
  typeorm,
  knex,
  kysely,
  drizzle,
  prisma,
  drizzleSqlite,
  postgresJs,
  pgClient,
  mysql2Connection,
  libsqlTransaction,
  sqliteHandle,
];

/**
 * The port to a transaction of a library. Throws a `TypeError` for anything else: for a pool or the database
 * object of an ORM, each of whose statements commits by itself.
 */
export function recogniseTransaction(tx: unknown): TransactionPort {
  if (isPort(tx)) return tx;
  if ((typeof tx === 'object' || typeof tx === 'function') && tx !== null) {
    for (const { recognise } of RECOGNISERS) {
      const port = recognise(tx as Shape);
      if (port !== undefined) return port;
    }
  }
  const accepted = RECOGNISERS.map(({ name }) => name).join('; ');
  throw new TypeError(
    `tx must be an open transaction: ${accepted}; or an object with "dialect" and "run"; got ${found(tx)}`,
  );
}

function isPort(tx: unknown): tx is TransactionPort {
  const { dialect } = Object(tx) as Partial<TransactionPort>;
  return hasCalls(tx, 'run') && ['postgres', 'mysql', 'sqlite'].includes(String(dialect));
}

/** A pool has an open transaction as little as the root object of an ORM. */
function found(tx: unknown): string {
  if (typeof tx !== 'function' && (typeof tx !== 'object' || tx === null)) return formatValue(tx);
  const name = (tx as object).constructor?.name ?? 'object';
  // Those of ORMs on SQLite, which are not recognised, have `transaction` as well.
  const { isTransaction, queryRunner } = tx as Shape;
  if (isTransaction === true || queryRunner !== undefined) return name;
  const root =
    hasCalls(tx, 'getConnection') ||
    hasCalls(tx, '$connect') ||
    hasCalls(tx, 'begin') ||
    hasCalls(tx, 'transaction') ||
    (hasCalls(tx, 'query', 'connect', 'end') && 'totalCount' in (tx as object));
  return root ? `${name}, whose statements commit by themselves: begin a transaction` : name;
}
