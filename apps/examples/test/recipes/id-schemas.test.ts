import type { BrandedId } from '@ids/core';
import { idScalar, idSchema, storedIdSchema } from '@ids/core/schema';
import { createCodec, encodeIds } from '@ids/encode';
import { createSnowflakeGenerator } from '@ids/snowflake';
import { createUuid7Generator } from '@ids/uuid7';
import { initTRPC } from '@trpc/server';
import { Ajv } from 'ajv';
import { type } from 'arktype';
import {
  buildSchema,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  graphql,
} from 'graphql';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type OrderId, orderReads, refundBody } from '../../src/recipes/id-schemas.js';

const { guarantees } = await createSnowflakeGenerator({ worker: 1, as: 'number' });
const codec = createCodec<number>(guarantees, { as: 'crockford', width: 11, prefix: 'ord_', check: true });
const shown = codec.encode(48_001);
const mistyped = `${shown.slice(0, -1)}${shown.endsWith('0') ? '1' : '0'}`;
const typeids = encodeIds(createUuid7Generator(), { form: 'typeid', prefix: 'order' });

describe('the ids of a codec at the edge', () => {
  it('come out of a path of Hono as what the column stores, and others answer 400', async () => {
    const asked: OrderId[] = [];
    const app = orderReads(codec, async (id) => {
      asked.push(id);
      return { item: 'tea' };
    });
    expect((await app.request(`/orders/${shown}`)).status).toBe(200);
    expect((await app.request(`/orders/${shown.toLowerCase()}`)).status).toBe(200);
    expect(asked).toEqual([48_001, 48_001]);
    for (const wrong of [mistyped, `usr_${shown.slice(4)}`, '48001', 'ord_']) {
      const answer = await app.request(`/orders/${wrong}`);
      expect([wrong, answer.status, JSON.stringify(await answer.json())]).toEqual([
        wrong,
        400,
        expect.stringContaining('OrderId: '),
      ]);
    }
    expect(asked).toHaveLength(2);
  });

  it('are what zod, valibot and arktype take and infer, and JSON Schema describes', () => {
    const orderId = idSchema('OrderId', typeids);
    const id = typeids.nextSync();
    const other = encodeIds(createUuid7Generator(), { form: 'typeid', prefix: 'user' }).nextSync();

    const body = refundBody(typeids);
    expectTypeOf<z.infer<typeof body>['order']>().toEqualTypeOf<BrandedId<'OrderId', string>>();
    const inValibot = v.custom<ReturnType<typeof orderId.parse>>(orderId.is);
    const inArktype = type({ order: orderId });
    expectTypeOf<typeof inArktype.infer.order>().toEqualTypeOf<BrandedId<'OrderId', string>>();
    const validate = new Ajv({ strict: false }).compile(
      z.toJSONSchema(body, { target: 'draft-7', unrepresentable: 'any' }),
    );
    for (const [value, valid] of [
      [id, true],
      [other, false],
      [id.toUpperCase(), false],
      [7, false],
    ]) {
      const order = { order: value };
      expect([value, body.safeParse(order).success]).toEqual([value, valid]);
      expect([value, v.safeParse(inValibot, value).success]).toEqual([value, valid]);
      expect([value, !(inArktype(order) instanceof type.errors)]).toEqual([value, valid]);
      expect([value, validate(order)]).toEqual([value, valid]);
    }
  });

  it('are the input of a procedure of tRPC', async () => {
    const t = initTRPC.create();
    const input = storedIdSchema('OrderId', codec);
    const router = t.router({ stored: t.procedure.input(input).query(({ input: id }) => id) });
    const caller = t.createCallerFactory(router)({});
    expectTypeOf(caller.stored).returns.resolves.toEqualTypeOf<OrderId>();
    expect(await caller.stored(shown)).toBe(48_001);
    await expect(caller.stored(mistyped)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('are a scalar of GraphQL', async () => {
    const OrderId = new GraphQLScalarType(idScalar(storedIdSchema('OrderId', codec)));
    const query = new GraphQLObjectType({
      name: 'Query',
      fields: {
        stored: { type: GraphQLInt, args: { id: { type: OrderId } }, resolve: (_, { id }) => id },
        first: { type: OrderId, resolve: () => 48_001 },
      },
    });
    const schema = new GraphQLSchema({ query });
    const ask = async (source: string, variableValues = {}) => {
      const { data, errors } = await graphql({ schema, source, variableValues });
      return errors?.[0]?.message ?? { ...data };
    };
    expect(await ask(`{ stored(id: "${shown}") first }`)).toEqual({ stored: 48_001, first: shown });
    expect(await ask('query ($id: OrderId) { stored(id: $id) }', { id: shown })).toEqual({ stored: 48_001 });
    expect(await ask(`{ stored(id: "${mistyped}") }`)).toContain(`OrderId: "${mistyped.slice(4)}"`);
    expect(await ask('query ($id: OrderId) { stored(id: $id) }', { id: 7 })).toContain('OrderId: ');
    expect(buildSchema('scalar OrderId type Query { id: OrderId }').getType('OrderId')?.name).toBe(
      OrderId.name,
    );
  });
});
