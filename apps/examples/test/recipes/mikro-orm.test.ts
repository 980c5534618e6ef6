import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createUuid7Generator, isUuid7 } from '@ids/uuid7';
import { MikroORM } from '@mikro-orm/postgresql';
import { expect, inject, it, vi } from 'vitest';
import { fillIds, lineEntity, orderEntity } from '../../src/recipes/mikro-orm.js';
import { ownSchema } from '../support/own-schema.js';

it('MikroORM waits for ids before a flush, takes a batch for each entity, and leaves the ids that are there', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query(
    'CREATE TABLE lines (id uuid PRIMARY KEY, text text NOT NULL, order_id bigint NOT NULL REFERENCES orders)',
  );
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  await using uuids = createUuid7Generator();
  const batches = [vi.spyOn(ids, 'nextBatch'), vi.spyOn(uuids, 'nextBatch')];
  const sizes = () => batches.map(({ mock }) => mock.calls.splice(0).map(([count]) => count));
  const orm = await MikroORM.init({
    clientUrl: inject('databaseUrl'),
    schema: schema.name,
    entities: [orderEntity, lineEntity],
    subscribers: [fillIds({ Order: ids, Line: uuids })],
  });
  try {
    const em = orm.em.fork();
    const first = em.create(orderEntity, { item: 'one', lines: [{ text: 'a' }, { text: 'b' }] });
    em.create(orderEntity, { id: 5_000_000, item: 'own', lines: [] });
    em.create(lineEntity, { text: 'c', order: em.create(orderEntity, { item: 'two', lines: [] }) });
    await em.flush();
    expect(sizes()).toEqual([[2], [3]]);

    first.item = 'changed';
    // Nobody persists it: the flush finds it in the collection of an entity that it knows.
    first.lines.add(em.create(lineEntity, { text: 'd', order: first }, { persist: false }));
    await em.flush();
    expect(sizes()).toEqual([[0], [1]]);

    const orders = await orm.em.fork().find(orderEntity, {}, { orderBy: { id: 'asc' } });
    expect(orders.map(({ id, item }) => `${id} ${item}`)).toEqual(['1 changed', '2 two', '5000000 own']);
    const lines = await orm.em.fork().find(lineEntity, {}, { orderBy: { text: 'asc' } });
    expect(lines.every(({ id }) => isUuid7(id))).toBe(true);
    expect(lines.map(({ text, order }) => `${text} of ${order.id}`)).toEqual([
      'a of 1',
      'b of 1',
      'c of 2',
      'd of 1',
    ]);
  } finally {
    await orm.close();
  }
});
