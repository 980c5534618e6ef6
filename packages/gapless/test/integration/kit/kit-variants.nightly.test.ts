import { runWithinConformance, withinCases } from '@ids/conformance';
import { startPgBouncer } from '@ids/local-services';
import { SQLITE } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { nextWithin } from '../../../src/index.js';
import { asMysqlReads, MARIADB, POSTGRES } from '../number-database.js';
import { withinMutants } from './mutants.js';
import { openSeries } from './series.js';

runWithinConformance(
  {
    name: 'Postgres under SERIALIZABLE',
    open: () => openSeries(POSTGRES, { begin: 'BEGIN ISOLATION LEVEL SERIALIZABLE' }),
  },
  { describe, it },
);

runWithinConformance(
  {
    name: 'Postgres behind PgBouncer in transaction mode',
    open: async () => {
      const database = inject('databaseUrl');
      const pooler = await startPgBouncer({ database, mode: 'transaction', poolSize: 6 });
      onTestFinished(() => pooler.close());
      return await openSeries(POSTGRES, { url: () => pooler.url });
    },
  },
  { describe, it },
);

runWithinConformance(
  {
    name: 'Postgres, a statement at a time as ORMs run them,',
    open: () =>
      openSeries(POSTGRES, {
        take: ({ run }, key, { table }) =>
          nextWithin({ dialect: 'postgres', run }, 'invoice', key, { table }),
      }),
  },
  { describe, it },
);

runWithinConformance(
  {
    name: 'MariaDB, with the statements as MySQL reads them,',
    open: () =>
      openSeries(MARIADB, {
        take: ({ run }, key, { table }) => {
          const tx = { dialect: 'mysql', run: (text: string) => run(asMysqlReads(text)) };
          return nextWithin(tx, 'invoice', key, { table });
        },
      }),
  },
  { describe, it },
);

runWithinConformance(
  {
    name: 'SQLite, a statement at a time behind BEGIN IMMEDIATE,',
    oneWriter: true,
    open: () =>
      openSeries(SQLITE, {
        begin: 'BEGIN IMMEDIATE',
        take: ({ run }, key, { table }) => nextWithin({ dialect: 'sqlite', run }, 'invoice', key, { table }),
      }),
  },
  { describe, it },
);

it.each(withinCases)('"$name" has a mutant', ({ name }) => {
  expect(withinMutants.filter(({ fails }) => fails === name)).not.toHaveLength(0);
});

it.each(withinMutants)('numbers are caught that $name', async ({ name, fails, saying, take, generate }) => {
  const [one] = withinCases.filter((known) => known.name === fails);
  const failure = await one
    ?.run(() => openSeries(POSTGRES, { ...(take && { take }), ...(generate && { generate }) }))
    .catch((error: unknown) => error);
  expect(failure, name).toBeInstanceOf(Error);
  expect(String(failure)).toMatch(saying);
});
