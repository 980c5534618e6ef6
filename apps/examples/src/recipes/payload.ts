import type { IdGenerator } from '@ids/core';
import type { CollectionConfig, FieldHook, NumberField, TextField } from 'payload';

/**
 * Gives new documents an ID, also drafts and duplicates. Only code of the service can choose one itself:
 * `payload.create` without `overrideAccess: false`. Whoever calls REST, GraphQL or the admin panel cannot.
 */
const fillId =
  (ids: IdGenerator<number> | IdGenerator<string>): FieldHook =>
  ({ operation, overrideAccess, value }) => {
    const isChosen = overrideAccess === true && value !== undefined && value !== null;
    return operation === 'create' && !isChosen ? ids.next() : value;
  };

/** Of Postgres, a column of type `numeric`, which Payload reads as a number: exact up to 2^53 - 1. */
const numberId = (ids: IdGenerator<number>): NumberField => ({
  name: 'id',
  type: 'number',
  required: true,
  hooks: { beforeValidate: [fillId(ids)] },
});

/** Of Postgres, a column of type `varchar`. */
const textId = (ids: IdGenerator<string>): TextField => ({
  name: 'id',
  type: 'text',
  required: true,
  hooks: { beforeValidate: [fillId(ids)] },
});

/** Orders of customers. Payload waits for hooks: any strategy will do whose IDs the column holds. */
export function collectionsOf(
  orderIds: IdGenerator<number>,
  customerIds: IdGenerator<string>,
): CollectionConfig[] {
  return [
    {
      slug: 'orders',
      versions: { drafts: true },
      fields: [
        numberId(orderIds),
        { name: 'item', type: 'text' },
        { name: 'customer', type: 'relationship', relationTo: 'customers' },
      ],
    },
    { slug: 'customers', fields: [textId(customerIds), { name: 'name', type: 'text' }] },
  ];
}
