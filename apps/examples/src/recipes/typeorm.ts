import type { IdGenerator } from '@ids/core';
import { EntitySchema, type EntitySubscriberInterface, type InsertEvent } from 'typeorm';

export interface Order {
  id?: number;
  item: string;
}

export const orderEntity = new EntitySchema<Order>({
  name: 'Order',
  tableName: 'orders',
  columns: {
    // The driver reads a bigint as a string. Ids end at 2^53 - 1, so a number is exact.
    id: { type: 'bigint', primary: true, transformer: { from: Number, to: (id?: number) => id } },
    item: { type: 'text' },
  },
});

/** Gives an order its id before it is inserted. TypeORM waits for it: any strategy of numbers will do. */
class OrderIdSubscriber implements EntitySubscriberInterface<Order> {
  readonly #ids: IdGenerator<number>;

  constructor(ids: IdGenerator<number>) {
    this.#ids = ids;
  }

  listenTo(): string {
    return orderEntity.options.name;
  }

  async beforeInsert({ entity }: InsertEvent<Order>): Promise<void> {
    entity.id ??= await this.#ids.next();
  }
}

/**
 * For `dataSource.subscribers.push(...)`: the option `subscribers` takes classes only, which
 * cannot be handed a generator.
 */
export function orderIdSubscriber(ids: IdGenerator<number>): EntitySubscriberInterface<Order> {
  return new OrderIdSubscriber(ids);
}
