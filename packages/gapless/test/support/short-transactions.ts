import type { IdGenerator } from '@ids/core';
import { Lifecycle } from '@ids/core/strategy';
import { generatorWithin } from '../../src/index.js';
import { type Context, connect } from './connect.js';

type Work = (generator: IdGenerator<number>) => Promise<void>;

/**
 * Generators of which each lives for one transaction, as those of a service do. Calls that are made while one
 * is open share the next one, and return after its commit.
 */
export async function open({ url, table }: Context): Promise<IdGenerator<number>> {
  const { tx, run, end } = await connect(url);
  const generate = () => generatorWithin(tx, 'invoice', 'acme', { table });
  const { strategy, guarantees } = generate();
  const lifecycle = new Lifecycle(strategy);
  let waiting: Work[] = [];
  let last = Promise.resolve();

  async function serveWaiting(): Promise<void> {
    const served = waiting;
    waiting = [];
    if (served.length === 0) return;
    await run('BEGIN');
    const generator = generate();
    await Promise.all(served.map((work) => work(generator)));
    await generator.close();
    await run('COMMIT');
  }

  async function call<T>(take: (generator: IdGenerator<number>) => Promise<T>): Promise<T> {
    lifecycle.assertOpen();
    let taken: Promise<T> | undefined;
    waiting.push(async (generator) => {
      taken = take(generator);
      await taken;
    });
    last = last.then(serveWaiting);
    await last;
    if (taken === undefined) throw new TypeError('unreachable: its transaction has ended');
    return await taken;
  }

  const close = () => lifecycle.close(() => last.then(end));
  return {
    strategy,
    guarantees,
    next: (options) => call((generator) => generator.next(options)),
    nextBatch: (count, options) => call((generator) => generator.nextBatch(count, options)),
    ready: async () => lifecycle.assertOpen(),
    health: () => ({ status: lifecycle.closed ? 'closed' : 'ok' }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
