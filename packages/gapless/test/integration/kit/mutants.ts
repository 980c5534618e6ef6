import type { IdGenerator } from '@ids/core';
import { abortable } from '@ids/core/strategy';
import { generatorWithin, nextWithin } from '../../../src/index.js';
import { openCaller } from '../number-database.js';
import type { Generate, Take } from './series.js';

/** A way to take numbers that people write, or a fault that this package could have. */
export interface WithinMutant {
  readonly name: string;
  /** The case that catches it. */
  readonly fails: string;
  readonly saying: RegExp;
  readonly take?: Take;
  readonly generate?: Generate;
}

/** Takes a number in a transaction of its own, on another connection. */
const takeElsewhere: Take = async (_caller, key, { table, url }) => {
  const own = await openCaller(url);
  await own.run('BEGIN');
  const number = await nextWithin(own.tx, 'invoice', key, { table });
  await own.run('COMMIT');
  await own.end();
  return number;
};

/** The highest number of a document, and one: nothing keeps two from reading the same. */
const takeHighest: Take = async ({ run }, key, { invoices }) => {
  const [row] = await run(
    `SELECT COALESCE(max(number), 0) + 1 AS number FROM ${invoices} WHERE customer = '${key}'`,
  );
  return Number(row?.number);
};

/** What this process remembers, in place of what the row says. */
function takeRemembered(): Take {
  const last = new Map<string, number>();
  return async ({ tx }, key, { table }) => {
    const name = `${table} ${key}`;
    const number = await nextWithin(tx, 'invoice', key, { table });
    last.set(name, Math.max(number, (last.get(name) ?? 0) + 1));
    return last.get(name) ?? number;
  };
}

/** One sequence for all keys. */
const takeWithoutKey: Take = ({ tx }, _key, { table }) => nextWithin(tx, 'invoice', '', { table });

/** Keeps a savepoint that was rolled back from giving its number back. */
function takeBeforeSavepoint(): Take {
  const undone = new WeakMap<object, number>();
  return async ({ tx }, key, { table }) => {
    const number = await nextWithin(tx, 'invoice', key, { table });
    const before = undone.get(tx) ?? 0;
    undone.set(tx, number);
    return number === before ? await nextWithin(tx, 'invoice', key, { table }) : number;
  };
}

/** Begins a transaction where none is open, and so takes a number that nobody uses. */
const takeAnyhow: Take = async ({ tx, run }, key, { table }) => {
  try {
    return await nextWithin(tx, 'invoice', key, { table });
  } catch {
    await run('BEGIN');
    const number = await nextWithin(tx, 'invoice', key, { table });
    await run('COMMIT');
    return number;
  }
};

/** Holds the whole table, so that all keys wait for each other. */
const takeUnderLock: Take = async ({ tx, run }, key, { table }) => {
  await run(`LOCK TABLE ${table} IN EXCLUSIVE MODE NOWAIT`);
  return await nextWithin(tx, 'invoice', key, { table });
};

/** A generator with other calls in place of its own. */
const generatorWith =
  (change: (own: IdGenerator<number>) => Partial<IdGenerator<number>>): Generate =>
  (caller, key, { table }) => {
    const own = generatorWithin(caller.tx, 'invoice', key, { table });
    const whole: IdGenerator<number> = {
      strategy: own.strategy,
      guarantees: own.guarantees,
      next: (options) => own.next(options),
      nextBatch: (count, options) => own.nextBatch(count, options),
      ready: (options) => own.ready(options),
      health: () => own.health(),
      close: () => own.close(),
      [Symbol.asyncDispose]: () => own.close(),
    };
    return { ...whole, ...change(own) };
  };

/** Rejects as soon as the signal aborts, although the number is on its way. */
const abandonOnAbort = generatorWith((own) => ({
  next: (options) => abortable(own.next(options), options?.signal),
  nextBatch: (count, options) => abortable(own.nextBatch(count, options), options?.signal),
}));

/** Takes a hundred numbers and keeps those that nobody asks for. */
const setAside = generatorWith((own) => {
  let aside: number[] = [];
  return {
    next: async () => {
      if (aside.length === 0) aside = await own.nextBatch(100);
      return aside.shift() ?? Number.NaN;
    },
  };
});

/** Goes on from what it remembers, without the database. */
const goOnAlone = generatorWith((own) => {
  let last = 0;
  return {
    next: async () => {
      last = await own.next();
      return last;
    },
    nextBatch: (count) => own.nextBatch(count).catch(() => Array.from({ length: count }, () => (last += 1))),
  };
});

const GENERATOR_CLAIM =
  'claims as a generator that it leaves no gap, and leaves none in calls at once, aborts and closes';

export const withinMutants: readonly WithinMutant[] = [
  {
    name: 'takes numbers in a transaction of its own',
    fails: 'gives a number back at a rollback',
    saying: /after number 0 of "acme" comes 2: a gap/,
    take: takeElsewhere,
  },
  {
    name: 'takes numbers on another connection than the one that ends',
    fails: 'gives a number back when its connection ends in the middle',
    saying: /after number 1 of "acme" comes 3: a gap/,
    take: takeElsewhere,
  },
  {
    name: 'takes the highest number and one',
    fails: 'leaves no gap and repeats no number beside callers that commit, roll back, undo and are killed',
    saying: /is on two documents/,
    take: takeHighest,
  },
  {
    name: 'takes a number outside a transaction by MAX',
    fails: 'refuses to take a number outside a transaction, and takes none',
    saying: /it took number 2 outside a transaction/,
    take: takeHighest,
  },
  {
    name: 'remembers numbers that were given back',
    fails: 'gives a number back at a rollback',
    saying: /a gap/,
    take: takeRemembered(),
  },
  {
    name: 'does not give back what a savepoint undid',
    fails: 'gives a number back at the rollback to a savepoint, and keeps those before it',
    saying: /a gap/,
    take: takeBeforeSavepoint(),
  },
  {
    name: 'begins a transaction by itself',
    fails: 'refuses to take a number outside a transaction, and takes none',
    saying: /it took number 2 outside a transaction/,
    take: takeAnyhow,
  },
  {
    name: 'are set aside by a generator that claims to skip none',
    fails: GENERATOR_CLAIM,
    saying: /a gap/,
    generate: setAside,
  },
  {
    name: 'are abandoned by a generator when a signal aborts',
    fails: GENERATOR_CLAIM,
    saying: /a gap/,
    generate: abandonOnAbort,
  },
  {
    name: 'come from a generator whose transaction has ended',
    fails: 'takes no number as a generator once its transaction has ended',
    saying: /it took 2,3 after commit/,
    generate: goOnAlone,
  },
  {
    name: 'has one sequence for all keys',
    fails: 'counts each key from 1, in the order of the commits',
    saying: /deep-?equal/i,
    take: takeWithoutKey,
  },
  {
    name: 'locks all keys',
    fails: 'gives nobody a number of another key to wait for',
    saying: /lock/,
    take: takeUnderLock,
  },
];
