import { ensureKeyedSchema } from '@ids/keyed/sql';
import { offsetWithMidnightIn, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, fromPgUrl } from '@ids/segment/sql';
import { createKeyedSegmentInprocGenerator } from '@ids/segment-inproc';
import { expect, inject, it } from 'vitest';
import { drawTicket } from '../../src/recipes/tickets.js';

it('tickets begin at 1 each day, at each counter', async () => {
  const [database, table] = [inject('databaseUrl'), uniqueName('tickets')];
  const group = { by: 'day', timeZone: offsetWithMidnightIn(4) } as const;
  const executor = await fromPgUrl(database);
  await ensureKeyedSchema(executor, { table });
  await createSequence(executor, 'ticket', { table, group });
  await executor.close();
  await using tickets = await createKeyedSegmentInprocGenerator({
    name: 'ticket',
    database,
    table,
    order: 'real-time',
    keyed: true,
    group,
  });
  const first = await drawTicket(tickets, 'counter-3');
  expect(first.label).toBe('counter-3 001');
  expect((await drawTicket(tickets, 'counter-3')).label).toBe('counter-3 002');
  expect((await drawTicket(tickets, 'counter-4')).label).toBe('counter-4 001');
  let last = first;
  do last = await drawTicket(tickets, 'counter-4');
  while (last.label !== 'counter-4 001');
  const next = await drawTicket(tickets, 'counter-3');
  expect(next.label).toBe('counter-3 001');
  expect(next.id).toBeGreaterThan(first.id);
});
