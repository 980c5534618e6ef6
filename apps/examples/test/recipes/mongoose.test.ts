import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { orderSchema } from '../../src/recipes/mongoose.js';

// Defaults are applied before Mongoose talks to a server, so none is needed here.
it('Mongoose gives each new document an id, and none to those that are read back', async () => {
  await using ids = await createSegmentInprocGenerator({
    name: 'order',
    source: new MemorySegmentSource({ order: {} }),
  });
  await ids.ready();
  const own = new mongoose.Mongoose({ autoCreate: false, autoIndex: false });
  const Order = own.model('Order', orderSchema(ids));

  expect(new Order({ item: 'one' })._id).toBe(1);
  expect(new Order({ item: 'two' })._id).toBe(2);
  expect(new Order({ _id: 70, item: 'own' })._id).toBe(70);
  expect(Order.hydrate({ _id: 90, item: 'read' })._id).toBe(90);
  expect(new Order({ item: 'three' }).toObject()).toEqual({ _id: 3, item: 'three' });
  expect(ids.counters().idsIssued).toBe(3);
});
