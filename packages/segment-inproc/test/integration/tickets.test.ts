import { openPostgresPool, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { formatTicket, MemorySegmentSource, type SegmentEvent, type SequenceGroup } from '@ids/segment';
import { createSequence, ensureSchema } from '@ids/segment/sql';
import { fromPg } from '@ids/store/postgres';
import type pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createSegmentInprocGenerator, type SegmentInprocOptions } from '../../src/index.js';

const database = inject('databaseUrl');
const SHANGHAI: SequenceGroup = { by: 'day', timeZone: 'Asia/Shanghai' };

interface Tickets {
  readonly pool: pg.Pool;
  readonly options: { readonly database: string; readonly table: string; readonly name: string };
}

async function openTickets(
  groupOf: (pool: pg.Pool) => SequenceGroup | Promise<SequenceGroup>,
): Promise<Tickets> {
  const pool = openPostgresPool(database, { max: 2 });
  onTestFinished(() => pool.end());
  const [table, name] = [uniqueName('tickets'), '排队号'];
  await ensureSchema(fromPg(pool), { table });
  await createSequence(fromPg(pool), name, { table, group: await groupOf(pool) });
  return { pool, options: { database, table, name } };
}

describe('segment-inproc over a sequence with days', () => {
  it('is read as a ticket', async () => {
    const { options } = await openTickets(() => SHANGHAI);
    await using generator = await createSegmentInprocGenerator({
      ...options,
      minStep: 1,
      maxStep: 1,
      as: 'string',
    });
    const ids = await generator.nextBatch(42);
    expect(formatTicket(ids.at(-1) ?? '')).toMatch(/^20\d{6}-000042$/);
  });

  it('is refused at the start when its groups are not those of the options', async () => {
    const { options } = await openTickets(() => SHANGHAI);
    await (await createSegmentInprocGenerator({ ...options, group: SHANGHAI })).close();
    const other = { by: 'day', timeZone: 'America/New_York' } as const;
    await expect(createSegmentInprocGenerator({ ...options, group: other })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/Asia\/Shanghai.*America\/New_York/),
    });
    const source = new MemorySegmentSource({ order: {} });
    await expect(
      createSegmentInprocGenerator({ name: 'order', source, group: SHANGHAI }),
    ).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/"order".*Asia\/Shanghai/),
    });
  });

  it.each([
    [{ by: 'day' }, /"group".*"timeZone".*"Asia\/Shanghai"/],
    [{ by: 'hour', timeZone: 'UTC' }, /"group".*"by".*"day", "month".*"year".*"hour"/],
  ])('refuses the groups %o', async (group, message) => {
    const given = { name: 'order', database, group } as unknown as SegmentInprocOptions;
    await expect(createSegmentInprocGenerator(given)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(message),
    });
  });
});

it('segment-inproc warns of a database without a synchronous standby, as an event', async () => {
  const { options } = await openTickets(() => SHANGHAI);
  const events: SegmentEvent[] = [];
  await using _generator = await createSegmentInprocGenerator({
    ...options,
    onEvent: (event) => events.push(event),
  });
  const message = expect.stringContaining('synchronous_standby_names');
  expect(events).toEqual([{ type: 'warning', name: options.name, message }]);
});
