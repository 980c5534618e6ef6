import { sValidator } from '@hono/standard-validator';
import type { BrandedId, IdGenerator } from '@ids/core';
import { type IdCodec, type IdSchema, idSchema, storedIdSchema } from '@ids/core/schema';
import { Hono } from 'hono';
import * as v from 'valibot';
import { z } from 'zod';

/** A number in the column; a number of another table is no `OrderId` to the compiler. */
export type OrderId = BrandedId<'OrderId', number>;

/** Reads orders by the id that callers see, such as `ord_00000000CUD`. */
export function orderReads(
  codec: IdCodec<number>,
  find: (id: OrderId) => Promise<{ readonly item: string } | undefined>,
): Hono {
  const orderId = storedIdSchema('OrderId', codec);
  const app = new Hono();
  // A Standard Schema of the whole path; what comes out of it is the number of the column.
  const path = v.object({ id: v.pipe(v.string(), standard(orderId)) });
  app.get('/orders/:id', sValidator('param', path), async (context) => {
    const order = await find(context.req.valid('param').id);
    return order === undefined ? context.notFound() : context.json(order);
  });
  return app;
}

/** What zod checks of a body that names an order as callers see it. */
export function refundBody(ids: IdCodec | IdGenerator<string>) {
  const orderId = idSchema('OrderId', ids);
  return z.object({
    order: z
      .custom<BrandedId<'OrderId', string>>(orderId.is, 'must be the id of an order')
      .meta({ ...orderId.jsonSchema }),
  });
}

/** In valibot, whatever a schema of ids reads and returns. */
function standard<T extends string | number | bigint>(schema: IdSchema<T, string>) {
  return v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
    try {
      return schema.parse(dataset.value);
    } catch (error) {
      addIssue({ message: (error as Error).message });
      return NEVER;
    }
  });
}
