import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createUuid7Generator, isUuid7 } from '@ids/uuid7';
import { Sequelize } from 'sequelize';
import { expect, inject, it, vi } from 'vitest';
import { defineOrders } from '../../src/recipes/sequelize.js';
import { ownSchema } from '../support/own-schema.js';

it('Sequelize waits for ids, takes a batch for many rows, and leaves the ids that are there', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query(
    'CREATE TABLE lines (id uuid PRIMARY KEY, text text NOT NULL, order_id bigint NOT NULL REFERENCES orders)',
  );
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  await using uuids = createUuid7Generator();
  const batches = [vi.spyOn(ids, 'nextBatch'), vi.spyOn(uuids, 'nextBatch')];
  const sizes = () =>
    batches.map(({ mock }) =>
      mock.calls
        .splice(0)
        .map(([count]) => count)
        .filter((count) => count > 0),
    );
  const sequelize = new Sequelize(schema.url, { dialect: 'postgres', logging: false });
  try {
    const { Order, Line } = defineOrders(sequelize, ids, uuids);
    const first = await Order.create(
      { item: 'one', lines: [{ text: 'a' }, { text: 'b' }] },
      { include: Line },
    );
    await first.update({ item: 'changed' });
    await Order.findOrCreate({ where: { item: 'two' } });
    await Order.findOrCreate({ where: { item: 'two' } });
    expect(sizes()).toEqual([
      [1, 1],
      [1, 1],
    ]);

    const rows = [
      { item: 'three', lines: [{ text: 'c' }, { text: 'd' }] },
      { id: 5_000_000, item: 'own', lines: [] },
      { item: 'four', lines: [{ text: 'e' }] },
    ];
    const made = await Order.bulkCreate(rows, { include: Line });
    expect(made.map((row) => row.get('id'))).toEqual([3, 5_000_000, 4]);
    expect(sizes()).toEqual([[2], [3]]);
    await Order.bulkCreate([{ item: 'five' }, { item: 'six' }], { individualHooks: true });
    expect(sizes()).toEqual([[2], []]);

    const orders = await Order.findAll({ order: ['id'] });
    expect(orders.map((order) => order.get())).toEqual([
      { id: 1, item: 'changed' },
      { id: 2, item: 'two' },
      { id: 3, item: 'three' },
      { id: 4, item: 'four' },
      { id: 5, item: 'five' },
      { id: 6, item: 'six' },
      { id: 5_000_000, item: 'own' },
    ]);
    const lines = await Line.findAll({ order: ['text'] });
    expect(lines.every((line) => isUuid7(String(line.get('id'))))).toBe(true);
    expect(lines.map((line) => `${line.get('text')} of ${line.get('orderId')}`)).toEqual([
      'a of 1',
      'b of 1',
      'c of 3',
      'd of 3',
      'e of 4',
    ]);
    // Its hook comes too late to give an id: the database refuses the row.
    await expect(Order.upsert({ item: 'seven' })).rejects.toThrow('null value in column "id"');
  } finally {
    await sequelize.close();
  }
});
