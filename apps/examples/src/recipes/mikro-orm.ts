import type { IdGenerator } from '@ids/core';
import {
  BigIntType,
  type Collection,
  EntitySchema,
  type EventSubscriber,
  Reference,
  Utils,
  wrap,
} from '@mikro-orm/postgresql';

export interface Order {
  id: number;
  item: string;
  lines: Collection<Line>;
}

export interface Line {
  id: string;
  text: string;
  order: Order;
}

export const orderEntity = new EntitySchema<Order>({
  name: 'Order',
  tableName: 'orders',
  properties: {
    // Ids end at 2^53 - 1, so a number is exact.
    id: { type: new BigIntType('number'), primary: true, autoincrement: false },
    item: { type: 'text' },
    lines: { kind: '1:m', entity: 'Line', mappedBy: 'order' },
  },
});

export const lineEntity = new EntitySchema<Line>({
  name: 'Line',
  tableName: 'lines',
  properties: {
    id: { type: 'uuid', primary: true },
    text: { type: 'text' },
    order: { kind: 'm:1', entity: 'Order' },
  },
});

/**
 * For the option `subscribers`: each flush gives its new entities their ids, one batch for each entity name.
 * `em.insertMany`, `em.upsertMany` and raw SQL do not flush, and get none.
 */
export function fillIds(generators: Readonly<Record<string, IdGenerator>>): EventSubscriber {
  return {
    beforeFlush: async ({ uow }) => {
      const entities = [...reachedFrom([...uow.getPersistStack(), ...uow.getIdentityMap()])];
      const fillings = Object.entries(generators).map(async ([name, ids]) => {
        const withoutId = entities.filter((entity) => nameOf(entity) === name && !Reflect.get(entity, 'id'));
        const made = await ids.nextBatch(withoutId.length);
        for (const [i, entity] of withoutId.entries()) Reflect.set(entity, 'id', made[i]);
      });
      await Promise.all(fillings);
    },
  };
}

const nameOf = (entity: object) => wrap(entity, true).__meta.className;

/** The entities themselves, and those in their relations: a flush inserts those too. */
function reachedFrom(entities: readonly object[]): Set<object> {
  const found = new Set(entities);
  // The loop comes to what is added meanwhile.
  for (const entity of found) {
    for (const { name } of wrap(entity, true).__meta.relations) {
      const value: unknown = Reference.unwrapReference(Reflect.get(entity, name));
      const targets: unknown[] = Utils.isCollection(value) ? value.getItems(false) : [value];
      for (const target of targets) if (Utils.isEntity(target)) found.add(target);
    }
  }
  return found;
}
