import type { DialectName, Row } from '@ids/store';
import { lastOf, rowsOf } from './port.js';
import { hasCalls, type Recogniser, type Shape } from './recogniser.js';

/** The dialect of a database by the name that a library gives it; undefined for any other one. */
function dialectOf(name: unknown): DialectName | undefined {
  if (typeof name !== 'string') return undefined;
  if (/^(aurora-)?postgres|^pg|^cockroach/i.test(name)) return 'postgres';
  return /^(aurora-)?mysql|^mariadb/i.test(name) ? 'mysql' : undefined;
}

/** Drizzle: what `db.transaction` hands to its callback. */
export const drizzle: Recogniser = {
  name: 'tx of db.transaction of Drizzle',
  recognise(tx) {
    if (!hasCalls(tx, 'execute', 'rollback', 'transaction')) return undefined;
    const { dialect } = tx as { readonly dialect?: object };
    const name = dialectOf(kindOf(dialect));
    // The drivers that answer a message of several statements with all of their answers.
    const together = /^(NodePg|PostgresJs)Transaction$/.test(String(kindOf(tx)));
    return (
      name && {
        dialect: name,
        run: async (text) => rowsOf(await tx.execute(text)),
        runTogether: together
          ? async (texts) => rowsOf(lastOf(await tx.execute(texts.join(';\n'))))
          : undefined,
      }
    );
  },
};

/** The name of a class, as Drizzle marks its classes. */
function kindOf(value: object | undefined): unknown {
  const marked = value?.constructor as unknown as Record<symbol, unknown> | undefined;
  return marked?.[Symbol.for('drizzle:entityKind')];
}

/** Prisma: what `prisma.$transaction(async (tx) => …)` hands to its callback. */
export const prisma: Recogniser = {
  name: 'tx of prisma.$transaction with a callback',
  recognise(tx) {
    // A transaction can begin one within itself, but cannot connect.
    if (!hasCalls(tx, '$queryRawUnsafe', '$executeRawUnsafe') || hasCalls(tx, '$connect')) return undefined;
    const { activeProvider } = Object(tx._engineConfig) as Shape;
    const dialect = dialectOf(activeProvider ?? tx._activeProvider);
    if (dialect === undefined) return undefined;
    return {
      dialect,
      run: async (text) => {
        if (RETURNS_ROWS.test(text)) return rowsOf(await tx.$queryRawUnsafe(text));
        await tx.$executeRawUnsafe(text);
        return [];
      },
    };
  },
};

/** Prisma has a call for statements that return rows, and one for those that do not. */
const RETURNS_ROWS = /^(\/\*M![^*]*\*\/ )?(WITH|SELECT|INSERT)\b|^RETURNING\b/m;

/** Kysely: what `db.transaction().execute` and `startTransaction` give. */
export const kysely: Recogniser = {
  name: 'trx of db.transaction of Kysely',
  recognise(tx) {
    if (!hasCalls(tx, 'executeQuery', 'getExecutor') || tx.isTransaction !== true) return undefined;
    const { adapter } = Object(tx.getExecutor()) as { readonly adapter?: object };
    const dialect = dialectOf(adapter?.constructor.name);
    // The query of `CompiledQuery.raw`, which is data.
    const query = (sql: string) => ({
      sql,
      parameters: [],
      query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
      queryId: { queryId: 'ids' },
    });
    return dialect && { dialect, run: async (text) => rowsOf(await tx.executeQuery(query(text))) };
  },
};

/** TypeORM: the manager that `dataSource.transaction` hands to its callback, or a query runner. */
export const typeorm: Recogniser = {
  name: 'the manager of dataSource.transaction, or a query runner, of TypeORM',
  recognise(tx) {
    const runner = hasCalls(tx, 'startTransaction', 'query') ? tx : Object(tx.queryRunner);
    if (!hasCalls(runner, 'startTransaction', 'query')) return undefined;
    const { options } = Object(runner.connection) as { readonly options?: Shape };
    const dialect = dialectOf(options?.type);
    const connect = hasCalls(runner, 'connect') && options?.type === 'postgres' ? runner.connect : undefined;
    return (
      dialect && {
        dialect,
        run: async (text) => rowsOf(await runner.query(text)),
        // `query` answers with what the last statement returned only if it was the only one.
        runTogether: connect && ((texts) => onClient(runner, connect, texts)),
      }
    );
  },
};

/** On the client of `pg` on which a query runner of TypeORM has begun its transaction. */
async function onClient(
  runner: Shape,
  connect: (...given: unknown[]) => unknown,
  texts: readonly string[],
): Promise<readonly Row[]> {
  // It keeps its client, which is somebody else's by now.
  if (runner.isReleased === true) throw new TypeError('tx has ended: its query runner was released');
  const client = await connect.call(runner);
  if (!hasCalls(client, 'query')) throw new TypeError('unreachable: a query runner of Postgres has a client');
  return rowsOf(lastOf(await client.query(texts.join(';\n'))));
}

/** Knex: what `knex.transaction` hands to its callback, or resolves with. */
export const knex: Recogniser = {
  name: 'trx of knex.transaction',
  recognise(tx) {
    if (!hasCalls(tx, 'raw', 'commit', 'rollback') || tx.isTransaction !== true) return undefined;
    const { dialect: name } = Object(tx.client) as Shape;
    const dialect = dialectOf(name);
    return (
      dialect && {
        dialect,
        run: async (text) => rowsOf(await tx.raw(text)),
        runTogether:
          name === 'postgresql'
            ? async (texts) => rowsOf(lastOf(await tx.raw(texts.join(';\n'))))
            : undefined,
      }
    );
  },
};
