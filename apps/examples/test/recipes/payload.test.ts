import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createUuid7Generator, isUuid7 } from '@ids/uuid7';
import { postgresAdapter } from '@payloadcms/db-postgres';
import { buildConfig, getPayload } from 'payload';
import { expect, inject, it } from 'vitest';
import { collectionsOf } from '../../src/recipes/payload.js';
import { ownSchema } from '../support/own-schema.js';

it('Payload waits for ids, and lets nobody but the service choose one', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('DROP TABLE orders');
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  await using uuids = createUuid7Generator();
  const collections = collectionsOf(ids, uuids);
  const open = collections.map((one) => ({ ...one, access: { create: () => true, update: () => true } }));
  const payload = await getPayload({
    config: buildConfig({
      secret: 'of a test',
      collections: open,
      db: postgresAdapter({
        pool: { connectionString: schema.url },
        schemaName: schema.name,
        tablesFilter: ['*', '!id_*'],
      }),
      telemetry: false,
      typescript: { autoGenerate: false },
    }),
  });
  try {
    const create = async (data: object, more: object = {}) => {
      const collection = 'item' in data ? 'orders' : 'customers';
      const { id } = await payload.create({ collection, data, ...more });
      return id;
    };
    const customer = await create({ name: 'one' });
    expect(isUuid7(String(customer))).toBe(true);
    expect(await create({ item: 'one', customer })).toBe(1);
    expect(await create({ item: 'two' }, { draft: true })).toBe(2);
    expect(await create({ id: 5_000_000, item: 'own' })).toBe(5_000_000);
    expect(await create({ id: 6_000_000, item: 'stranger' }, { overrideAccess: false })).toBe(3);
    expect(await create({ item: 'copy' }, { duplicateFromID: 1 })).toBe(4);
    const update = { collection: 'orders', id: 1, data: { item: 'changed' }, overrideAccess: false } as const;
    await payload.update(update);

    const { rows } = await schema.pool.query('SELECT id, item, customer_id FROM orders ORDER BY id');
    expect(rows).toEqual([
      { id: '1', item: 'changed', customer_id: customer },
      { id: '2', item: 'two', customer_id: null },
      { id: '3', item: 'stranger', customer_id: null },
      { id: '4', item: 'copy', customer_id: customer },
      { id: '5000000', item: 'own', customer_id: null },
    ]);
  } finally {
    await payload.destroy();
  }
});
