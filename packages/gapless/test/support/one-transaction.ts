import type { IdGenerator } from '@ids/core';
import { generatorWithin } from '../../src/index.js';
import { type Connection, type Context, connect } from './connect.js';

/** An open transaction, with its generators that are open. */
interface Shared {
  readonly connection: Promise<Connection>;
  generators: number;
}

const transactions = new Map<string, Shared>();

/**
 * A generator over a transaction that commits when the last generator of this set-up closes. All of this
 * process share it: a transaction of its own would wait for the first one to end.
 */
export async function open({ url, table }: Context): Promise<IdGenerator<number>> {
  const shared = transactions.get(table) ?? { connection: begin(url), generators: 0 };
  transactions.set(table, shared);
  shared.generators++;
  const { tx, run, end } = await shared.connection;
  const generator = generatorWithin(tx, 'invoice', 'acme', { table });
  const close = generator.close.bind(generator);
  let closing: Promise<void> | undefined;
  async function closeAndCommit(): Promise<void> {
    await close();
    shared.generators--;
    if (shared.generators > 0) return;
    transactions.delete(table);
    await run('COMMIT');
    await end();
  }
  const last = () => (closing ??= closeAndCommit());
  return Object.assign(generator, { close: last, [Symbol.asyncDispose]: last });
}

async function begin(url: string): Promise<Connection> {
  const connection = await connect(url);
  await connection.run('BEGIN');
  return connection;
}
