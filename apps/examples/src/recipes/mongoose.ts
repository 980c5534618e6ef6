import type { SyncIdGenerator } from '@ids/core';
import { Schema } from 'mongoose';

/**
 * Documents whose `_id` is a number from a sequence. Mongoose calls `default` synchronously, in `new Order()`
 * already: hence `nextSync`. Documents that are read back have their `_id` and take none.
 */
export function orderSchema(ids: SyncIdGenerator<number>) {
  return new Schema({
    _id: { type: Number, default: () => ids.nextSync() },
    item: { type: String, required: true },
  });
}
