import { openPostgresPool, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { fromPg } from '@ids/store/postgres';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createSnowflakeGenerator, layoutOf, parseSnowflake, type SnowflakeEvent } from '../../src/index.js';
import { slotGrants, slotTable, whoIssued } from '../../src/sql/index.js';
import { createContext } from '../support/subject.js';

const database = inject('databaseUrl');

it('a slot that was given back is used at once, above everything that was issued from it', async () => {
  const slots = {
    ...(await createContext(database, uniqueName('hand_over'), { slots: 1, layout: '41+6+6' })),
    as: 'number',
  } as const;
  const ids: number[] = [];
  for (let life = 0; life < 3; life++) {
    // Enough to run ahead of the clock.
    await using generator = await createSnowflakeGenerator({ ...slots, startup: 'at-once' });
    const batch = await generator.nextBatch(70_000);
    expect(batch[0]).toBeGreaterThan(ids.at(-1) ?? 0);
    for (const id of batch) ids.push(id);
  }
  expect(new Set(ids).size).toBe(210_000);
});

it('waits three seconds after a claim, unless it starts at once', async () => {
  const slots = await createContext(database, uniqueName('wait'), { slots: 2 });
  const table = slotTable(fromPg(openPool()), {
    name: 'order',
    table: slots.table,
    layout: layoutOf('41+10+12'),
  });
  const first = async (startup: 'wait' | 'at-once'): Promise<number> => {
    const events: SnowflakeEvent[] = [];
    await using generator = await createSnowflakeGenerator({
      ...slots,
      startup,
      onEvent: (event) => events.push(event),
    });
    expect(generator.health().status).toMatch(startup === 'wait' ? /^not-ready$/ : /^(not-ready|ok)$/);
    await generator.ready();
    const { holders } = await table.holders();
    const [window] = events.flatMap((event) => (event.type === 'window' ? [event.window] : []));
    expect(generator.nextSync()).toBeGreaterThan(0n);
    return (window?.from ?? 0) - Number(holders.find(({ slot }) => slot === window?.slot)?.since);
  };
  expect(await first('wait')).toBeGreaterThanOrEqual(3_000);
  expect(await first('at-once')).toBeLessThan(2_000);
});

it('names the holders when all slots are held, and takes one that is given back in time', async () => {
  const slots = {
    ...(await createContext(database, uniqueName('held'), { slots: 1 })),
    startup: 'at-once',
  } as const;
  const holder = await createSnowflakeGenerator({ ...slots, owner: 'the-holder:1' });
  await holder.ready();
  await expect(createSnowflakeGenerator({ ...slots, deadlineMs: 1_500 })).rejects.toMatchObject({
    code: 'ERR_IDS_EXHAUSTED',
    message: expect.stringMatching(/\b0 by the-holder:1 .*Z.*Z/),
  });
  const waiting = createSnowflakeGenerator({ ...slots, deadlineMs: 20_000 });
  await holder.close();
  await using next = await waiting;
  expect(await next.next()).toBeGreaterThan(0n);
});

it('says of a released slot that nobody holds it, and until when its time lasts', async () => {
  const slots = {
    ...(await createContext(database, uniqueName('released'), { slots: 1 })),
    startup: 'at-once',
  } as const;
  const former = await createSnowflakeGenerator(slots);
  await former.ready();
  await former.close();
  await expect(createSnowflakeGenerator({ ...slots, deadlineMs: 700 })).rejects.toMatchObject({
    code: 'ERR_IDS_EXHAUSTED',
    message: expect.stringMatching(/\b0 by nobody [^Z]*Z[^Z]*$/),
  });
});

it('refuses a log that is not there, and says what creates it', async () => {
  const slots = await createContext(database, uniqueName('unlogged'), { slots: 1 });
  await expect(createSnowflakeGenerator({ ...slots, log: true })).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringMatching(/_log\b.*ensureSlotSchema\(\{ log: true \}\)/),
  });
});

it('works with the rights that slotGrants prints, and logs who was granted the time of an id', async () => {
  const role = uniqueName('service');
  const slots = await createContext(database, role, { slots: 2, log: true });
  const admin = openPool();
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  await admin.query(slotGrants(role, { table: slots.table, log: true }));
  onTestFinished(async () => {
    await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
  const url = new URL(database);
  url.username = role;
  url.password = 'secret';
  const events: SnowflakeEvent[] = [];
  await using generator = await createSnowflakeGenerator({
    ...slots,
    database: url.href,
    log: true,
    owner: 'billing-7',
    startup: 'at-once',
    onEvent: (event) => events.push(event),
  });
  const id = await generator.next();
  const layout = layoutOf('41+10+12');
  const found = await whoIssued(fromPg(admin), 'order', id, layout, { table: slots.table });
  expect(found).toMatchObject({ status: 'granted', grants: [{ slot: 0, owner: 'billing-7' }] });
  const hourLater = id + (3_600_000n << 22n);
  expect(await whoIssued(fromPg(admin), 'order', hourLater, layout, { table: slots.table })).toEqual({
    status: 'not-logged',
  });
  await expect(whoIssued(fromPg(admin), 'order', -1n, layout, { table: slots.table })).rejects.toThrow(
    RangeError,
  );
  expect(parseSnowflake(id, layout)).toMatchObject({ slot: 0, sequence: 0 });
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  expect(warnings.join('\n')).toContain('synchronous_standby_names');
});

it('rejects slots of another layout, missing slots and a missing table', async () => {
  const slots = await createContext(database, uniqueName('other'), { slots: 2 });
  const rejection = (options: object) => createSnowflakeGenerator({ ...slots, ...options });
  await expect(rejection({ layout: '41+6+6', as: 'number' })).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringMatching(/41\+10\+12@1735689600000.*41\+6\+6@/),
  });
  await expect(rejection({ name: 'none' })).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringMatching(/"none".*createSlots/),
  });
  await expect(rejection({ table: 'no_such_table' })).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringMatching(/no_such_table.*ensureSlotSchema/),
  });
});

function openPool() {
  const pool = openPostgresPool(database, { max: 2 });
  onTestFinished(() => pool.end());
  return pool;
}
