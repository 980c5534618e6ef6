import type {} from '@ids/local-services/vitest-setup';
import { createUuid7Generator, parseUuid7, uuid7ToBytes } from '@ids/uuid7';
import { drizzle } from 'drizzle-orm/node-postgres';
import { expect, inject, it } from 'vitest';
import { eventsTable, issuedBetween } from '../../src/recipes/uuid-column.js';
import { ownSchema } from '../support/own-schema.js';

it('a uuid column holds the ids in 16 bytes, sorts them as they were issued, and finds them by time', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('CREATE TABLE events (id uuid PRIMARY KEY, item text NOT NULL)');
  await using ids = createUuid7Generator();
  const db = drizzle({ client: schema.pool });
  const events = eventsTable(ids);

  const items = Array.from({ length: 500 }, (_, index) => ({ item: `event ${index}` }));
  const early = await db.insert(events).values(items).returning();
  const { ms } = parseUuid7(early.at(-1)?.id ?? '');
  while (Date.now() <= ms + 1);
  const late = await db.insert(events).values({ item: 'late' }).returning();

  expect(await db.select().from(events).orderBy(events.id)).toEqual([...early, ...late]);
  const [start, end] = [early[0], early.at(-1)].map((row) => parseUuid7(row?.id ?? '').date);
  const found = await db
    .select()
    .from(events)
    .where(issuedBetween(events, start as Date, end as Date))
    .orderBy(events.id);
  expect(found).toEqual(early);
  const { rows } = await schema.pool.query(
    'SELECT pg_column_size(id) AS size, uuid_send(id) AS bytes FROM events WHERE id = $1',
    [late[0]?.id],
  );
  expect(rows[0].size).toBe(16);
  expect([...rows[0].bytes]).toEqual([...uuid7ToBytes(late[0]?.id ?? '')]);
});

it('what Postgres 18 makes itself is read too', async ({ skip }) => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { rows: known } = await schema.pool.query("SELECT to_regprocedure('uuidv7()') AS name");
  if (known[0].name === null) skip('this Postgres has no uuidv7()');
  const { rows } = await schema.pool.query(
    'SELECT id, uuid_extract_timestamp(id) AS time FROM (SELECT uuidv7() AS id FROM generate_series(1, 100)) AS made',
  );
  expect(rows).toHaveLength(100);
  for (const { id, time } of rows) {
    const { uuid, date } = parseUuid7(id);
    expect([uuid, date]).toEqual([id, time]);
  }
});
