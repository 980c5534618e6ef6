import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { DataSource } from 'typeorm';
import { expect, inject, it } from 'vitest';
import { orderEntity, orderIdSubscriber } from '../../src/recipes/typeorm.js';
import { ownSchema } from '../support/own-schema.js';

it('TypeORM waits for an id before it inserts, and leaves the ids that are there', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  const dataSource = new DataSource({ type: 'postgres', url: schema.url, entities: [orderEntity] });
  await dataSource.initialize();
  try {
    dataSource.subscribers.push(orderIdSubscriber(ids));
    const orders = dataSource.getRepository(orderEntity);

    const first = await orders.save({ item: 'one' });
    await orders.save([{ item: 'two' }, { item: 'three' }]);
    await orders.insert([{ item: 'four' }, { id: 5_000_000, item: 'own' }]);
    await orders.save({ ...first, item: 'changed' });
    expect(await orders.find({ order: { id: 'ASC' } })).toEqual([
      { id: 1, item: 'changed' },
      { id: 2, item: 'two' },
      { id: 3, item: 'three' },
      { id: 4, item: 'four' },
      { id: 5_000_000, item: 'own' },
    ]);
    expect(ids.counters().idsIssued).toBe(4);
  } finally {
    await dataSource.destroy();
  }
});
