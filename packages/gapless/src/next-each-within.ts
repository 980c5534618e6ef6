import { inDialect } from './in-dialect.js';
import { takeNext } from './next-within.js';
import { type NumberOptions, requestOf, type Series } from './number-options.js';
import { onSqlite } from './sqlite/run.js';
import type { NumberRequest } from './table/request.js';
import type { TransactionPort } from './transaction/port.js';
import { recogniseTransaction } from './transaction/recognise.js';
import { inTurn } from './transaction/turns.js';

/** What `nextEachWithin` takes a number of. */
export interface WantedNumber {
  readonly series: string | Series;
  /** Default: the empty key. */
  readonly key?: string | undefined;
  /** As in the options of `nextWithin`. */
  readonly reference?: string | undefined;
}

/**
 * Takes the next number of each of several keys, in the transaction `tx`, and resolves with them in the order
 * of `wanted`. They are taken in an order of their own, the same in each process, so that two such calls for
 * the same keys and documents do not end in a deadlock; `deadlineMs` is that of each key. If one cannot be
 * had, none is taken, and it rejects like `nextWithin`.
 */
export async function nextEachWithin(
  tx: unknown,
  wanted: readonly WantedNumber[],
  options: NumberOptions = {},
): Promise<number[]> {
  const port = recogniseTransaction(tx);
  const placed = wanted.map(({ series, key = '', reference }, place) => {
    return { place, request: requestOf(series, key, 1, { ...options, reference }) };
  });
  placed.sort((one, other) => compare(one.request, other.request));
  const first = placed[0]?.request;
  if (first === undefined) return [];
  return await inTurn(tx as object, async () => {
    const numbers = placed.map(() => 0);
    await inDialect(tx, first, () => begin(port, first));
    try {
      for (const { place, request } of placed) numbers[place] = await takeNext(port, request, tx as object);
      await port.run(RELEASE);
      return numbers;
    } catch (error) {
      await port
        .run(ROLLBACK_TO)
        .then(() => port.run(RELEASE))
        // The transaction has ended, or was none: there is nothing to give back.
        .catch(() => {});
      throw error;
    }
  });
}

const SAVEPOINT = 'SAVEPOINT ids_each';
const ROLLBACK_TO = 'ROLLBACK TO SAVEPOINT ids_each';
const RELEASE = 'RELEASE SAVEPOINT ids_each';

/** On SQLite, a savepoint outside a transaction would begin one. */
async function begin(port: TransactionPort, request: NumberRequest): Promise<void> {
  if (port.dialect !== 'sqlite') await port.run(SAVEPOINT);
  else
    await onSqlite(port, request, function* () {
      yield { text: SAVEPOINT };
    });
}

const PARTS = ['table', 'name', 'key', 'reference'] as const;

/** Requests that are alike stay in the order in which they came. */
function compare(one: NumberRequest, other: NumberRequest): number {
  for (const part of PARTS) {
    const [a = '', b = ''] = [one[part], other[part]];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
