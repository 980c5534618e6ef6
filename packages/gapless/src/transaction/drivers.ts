import { lastOf, rowsOf } from './port.js';
import { hasCalls, type Recogniser, type Shape } from './recogniser.js';

/** `pg`: a client, or one that a pool has lent. */
export const pgClient: Recogniser = {
  name: 'a client of pg',
  recognise(tx) {
    if (!hasCalls(tx, 'query') || !('connectionParameters' in tx) || hasCalls(tx, 'createQueryRunner')) {
      return undefined;
    }
    return {
      dialect: 'postgres',
      run: async (text) => rowsOf(await tx.query(text)),
      runTogether: async (texts) => rowsOf(lastOf(await tx.query(texts.join(';\n')))),
      isOpen: () =>
        // Otherwise it waits in a queue, maybe behind a COMMIT.
        tx.readyForQuery === true &&
        hasCalls(tx, 'getTransactionStatus') &&
        tx.getTransactionStatus() === 'T',
    };
  },
};

/** `postgres`: what `sql.begin` and `savepoint` hand to their callback, or a reserved connection. */
export const postgresJs: Recogniser = {
  name: 'the sql of sql.begin of postgres',
  recognise(tx) {
    if (!hasCalls(tx, 'unsafe') || !(hasCalls(tx, 'savepoint') || hasCalls(tx, 'release'))) return undefined;
    return {
      dialect: 'postgres',
      run: async (text) => rowsOf(await tx.unsafe(text)),
      runTogether: async (texts) => rowsOf(lastOf(await tx.unsafe(texts.join(';\n')))),
    };
  },
};

/** `mysql2`: a connection, with promises or with callbacks. */
export const mysql2Connection: Recogniser = {
  name: 'a connection of mysql2',
  recognise(tx) {
    if (hasCalls(tx, 'getConnection') || !hasCalls(tx, 'query')) return undefined;
    const connection = hasCalls(tx, 'promise') ? (tx.promise() as Shape) : tx;
    if (!('threadId' in tx) || !hasCalls(connection, 'query', 'beginTransaction')) return undefined;
    return { dialect: 'mysql', run: async (text) => rowsOf(await connection.query(text)) };
  },
};
