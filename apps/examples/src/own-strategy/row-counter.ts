import { IdError, type IdGenerator, type IdStrategy } from '@ids/core';
import { abortable, assertBatchCount, defineGuarantees, Lifecycle } from '@ids/core/strategy';
import { quotedTable } from '@ids/store';
import { fromPgUrl, isDatabaseUrl } from '@ids/store/postgres';
import * as v from 'valibot';
import { counterStore, LAST_ID, runOnCounters } from './counter-store.js';

const WORD_RULE = 'must be a letter or _ and then up to 62 letters, digits or _';
const word = v.pipe(v.string(), v.regex(/^[A-Za-z_]\w{0,62}$/, WORD_RULE));

const entries = {
  database: v.custom<string>(isDatabaseUrl, 'must be a postgres:// URL'),
  table: v.optional(word, 'id_counter'),
  name: word,
};
const schema = v.object(entries);
type Input = v.InferInput<typeof schema>;
type Options = v.InferOutput<typeof schema>;

const guarantees = defineGuarantees({
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'real-time' },
  gaps: 'on-fault',
  maxIdsLost: 0,
  sync: false,
  idType: 'number',
  text: { pattern: /^[1-9]\d{0,15}$/, alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
  backends: ['sql'],
  discloses: ['volume'],
});

/** Takes ids from the row by one statement for each call, which commits before it is answered. */
export async function open({ database, table, name }: Options): Promise<IdGenerator<number>> {
  // A single connection answers calls in their order.
  const executor = await fromPgUrl(database, { max: 1 });
  const run = runOnCounters(executor, table);
  const lifecycle = new Lifecycle('row-counter');
  const text = `UPDATE ${quotedTable(table).table} SET last = last + $2::bigint
    WHERE name = $1 AND last <= ${LAST_ID} - $2::bigint RETURNING last`;

  async function take(count: number): Promise<number[]> {
    const [row] = await run(text, name, count).catch((error: unknown) => {
      throw lifecycle.closed ? lifecycle.closedError() : error;
    });
    if (row === undefined)
      throw new IdError('ERR_IDS_CONFIG', `table ${table} has no counter "${name}" with ${count} ids left`);
    return Array.from({ length: count }, (_, index) => Number(row.last) - count + 1 + index);
  }

  const generator: IdGenerator<number> = {
    strategy: 'row-counter',
    guarantees,
    async next(options) {
      const [id] = await this.nextBatch(1, options);
      return id as number;
    },
    async nextBatch(count, options) {
      assertBatchCount(count);
      await this.ready(options);
      return count === 0 ? [] : abortable(take(count), options?.signal);
    },
    async ready({ signal } = {}) {
      signal?.throwIfAborted();
      lifecycle.assertOpen();
    },
    health: () => ({ status: lifecycle.closed ? 'closed' : 'ok' }),
    close: () => lifecycle.close(() => executor.close()),
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
  return generator;
}

export const rowCounter: IdStrategy<'row-counter', Input, Options, IdGenerator<number>> = {
  name: 'row-counter',
  options: schema,
  optionNames: Object.keys(entries),
  example: { name: 'order' },
  guarantees: () => guarantees,
  store: counterStore,
  create: open,
};
