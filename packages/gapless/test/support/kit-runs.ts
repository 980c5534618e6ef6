import { type ConformanceSubject, runConformance, type TestRunner } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import type { SqlDialect } from '@ids/local-services/dialects';
import { openDatabase } from '@ids/store/open';
import { describe, it } from 'vitest';
import { createSeries, ensureNumberSchema, generatorWithin } from '../../src/index.js';
import type { Context } from './connect.js';

/** Cases whose processes or threads take numbers of one key at once. */
const BESIDE_OTHERS = /process|thread|bytes of memory/;

/** The signal of a call whose statement is on its way: the call settles with its number. */
const ON_ITS_WAY = 'rejects a call that waits as soon as its signal aborts';

/** All cases: each in one transaction, or if that cannot be, in short ones. */
export function runKit(kind: SqlDialect): void {
  runConformance(
    subjectOf(kind, 'one transaction', new URL('./one-transaction.ts', import.meta.url)),
    without((name) => {
      if (BESIDE_OTHERS.test(name)) return 'open transactions of one key wait for each other';
      return name === ON_ITS_WAY ? 'a number that is on its way would be a gap' : undefined;
    }),
  );
  runConformance(
    subjectOf(kind, 'short transactions', new URL('./short-transactions.ts', import.meta.url)),
    without((name) => (BESIDE_OTHERS.test(name) ? undefined : 'tested in one transaction')),
  );
}

/** A runner that skips the cases for which `lacking` has a reason, visibly. */
function without(lacking: (name: string) => string | undefined): TestRunner {
  const declare = (name: string, body: () => Promise<void>, timeoutMs: number) => {
    const reason = lacking(name);
    if (reason === undefined) it(name, body, timeoutMs);
    else it.skip(`${name} (skipped: ${reason})`, body);
  };
  return { describe, it: Object.assign(declare, { skip: it.skip }) };
}

function subjectOf(kind: SqlDialect, what: string, module: URL): ConformanceSubject<Context> {
  const { guarantees } = generatorWithin({ dialect: kind.dialect, run: async () => [] }, 'invoice');
  return {
    name: `a generator of ${what} on ${kind.server}`,
    module,
    guarantees,
    fresh: async () => {
      const url = await kind.shared();
      const table = uniqueName('number');
      const executor = await openDatabase(url, { max: 1 });
      try {
        await ensureNumberSchema(executor, { table });
        await createSeries(executor, 'invoice', { table });
      } finally {
        await executor.close();
      }
      return { url, table };
    },
  };
}
