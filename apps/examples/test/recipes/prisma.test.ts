import type {} from '@ids/local-services/vitest-setup';
import { fillIds } from '@ids/prisma';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createTestGenerator } from '@ids/testing';
import { createUuid7Generator, isUuid7 } from '@ids/uuid7';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { shopIds } from '../../src/recipes/prisma.js';
import { openSnowflakes } from '../support/open-snowflakes.js';
import { ownSchema } from '../support/own-schema.js';
import { generatePrismaClient } from '../support/prisma-client.js';

interface Order {
  readonly id: bigint;
  readonly item: string;
}
interface Ticket {
  readonly number: number;
  readonly item: string;
}
type NewOrder = Partial<Order> & Pick<Order, 'item'>;

/** Their types are Prisma's to test. */
interface NestedWrites {
  create(args: object): Promise<object>;
  update(args: object): Promise<object>;
  upsert(args: object): Promise<object>;
  findMany(args: object): Promise<object[]>;
}

/** What the test uses of the client, which is generated at run time. */
interface Client {
  readonly order: {
    create(args: { data: NewOrder }): Promise<Order>;
    createMany(args: { data: NewOrder | NewOrder[] }): Promise<{ count: number }>;
    createManyAndReturn(args: { data: NewOrder[] }): Promise<Order[]>;
    upsert(args: { where: { id: bigint }; create: NewOrder; update: Partial<Order> }): Promise<Order>;
    findMany(args: { orderBy: { id: 'asc' } }): Promise<Order[]>;
  };
  readonly event: {
    create(args: { data: { item: string } }): Promise<{ id: string; item: string }>;
    findMany(args: { orderBy: { id: 'asc' } }): Promise<{ id: string; item: string }[]>;
  };
  readonly ticket: {
    create(args: { data: { item: string } }): Promise<Ticket>;
    findMany(args: { orderBy: { number: 'asc' } }): Promise<Ticket[]>;
  };
  readonly customer: NestedWrites;
  readonly basket: NestedWrites;
  readonly line: NestedWrites;
  $transaction(run: (tx: Client) => Promise<void>): Promise<void>;
  $transaction<T>(calls: Promise<T>[]): Promise<T[]>;
  $extends(extension: ReturnType<typeof fillIds>): Client;
  $disconnect(): Promise<void>;
}
type ClientClass = new (options: { adapter: PrismaPg }) => Client;

let PrismaClient: ClientClass;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ PrismaClient, remove } = await generatePrismaClient<ClientClass>('src/recipes/schema.prisma'));
});
afterAll(() => remove());

it('Prisma fills the ids that calls leave out', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('ALTER TABLE orders RENAME TO "Order"');
  await using ids = await createSegmentInprocGenerator({
    name: 'order',
    database: schema.pool,
    as: 'bigint',
  });
  const adapter = new PrismaPg({ connectionString: schema.url }, { schema: schema.name });
  const plain = new PrismaClient({ adapter });
  try {
    const prisma = plain.$extends(fillIds({ Order: ids }));
    expect(await prisma.order.create({ data: { item: 'one' } })).toEqual({ id: 1n, item: 'one' });
    await prisma.order.createMany({ data: [{ item: 'two' }, { id: 5_000_000n, item: 'own' }] });
    await prisma.order.createMany({ data: { item: 'three' } });
    const returned = await prisma.order.createManyAndReturn({ data: [{ item: 'four' }, { item: 'five' }] });
    expect(returned.map(({ id }) => id)).toEqual([4n, 5n]);
    const upsert = { create: { item: 'six' }, update: { item: 'changed' } };
    expect(await prisma.order.upsert({ where: { id: 0n }, ...upsert })).toEqual({ id: 6n, item: 'six' });

    const all = await prisma.order.findMany({ orderBy: { id: 'asc' } });
    expect(all.map(({ id, item }) => `${id} ${item}`)).toEqual([
      '1 one',
      '2 two',
      '3 three',
      '4 four',
      '5 five',
      '6 six',
      '5000000 own',
    ]);
    expect(ids.counters().idsIssued).toBe(6);
  } finally {
    await plain.$disconnect();
  }
});

it('Prisma fills a BigInt with snowflakes of 63 bits, without rounding one', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('ALTER TABLE orders RENAME TO "Order"');
  await using ids = await openSnowflakes(schema.pool, 'bigint', '41+10+12');
  const adapter = new PrismaPg({ connectionString: schema.url }, { schema: schema.name });
  const plain = new PrismaClient({ adapter });
  try {
    const prisma = plain.$extends(fillIds({ Order: ids }));
    const before = await ids.next();
    const made = await prisma.order.createManyAndReturn({ data: [{ item: 'one' }, { item: 'two' }] });
    const after = await ids.next();
    expect(await prisma.order.findMany({ orderBy: { id: 'asc' } })).toEqual(made);
    for (const { id } of made) expect([id > before, id < after]).toEqual([true, true]);
    expect(before).toBeGreaterThan(2n ** 53n);
    // As doubles they would be the same number.
    expect(new Set(made.map(({ id }) => id)).size).toBe(2);
  } finally {
    await plain.$disconnect();
  }
});

it('Prisma fills a uuid column, whose order is that of the inserts', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('CREATE TABLE "Event" (id uuid PRIMARY KEY, item text NOT NULL)');
  await using ids = createUuid7Generator();
  const adapter = new PrismaPg({ connectionString: schema.url }, { schema: schema.name });
  const plain = new PrismaClient({ adapter });
  try {
    const prisma = plain.$extends(fillIds({ Event: ids }));
    const made = [];
    for (const item of ['one', 'two', 'three']) made.push(await prisma.event.create({ data: { item } }));
    expect(made.every(({ id }) => isUuid7(id))).toBe(true);
    expect(await prisma.event.findMany({ orderBy: { id: 'asc' } })).toEqual(made);
  } finally {
    await plain.$disconnect();
  }
});

/** Tables of the models with relations, and a client that fills their ids; closes both. */
async function openShop() {
  const schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query(`
    CREATE TABLE "Customer" (id bigint PRIMARY KEY, name text NOT NULL UNIQUE);
    CREATE TABLE "Basket" (id bigint PRIMARY KEY, "customerId" bigint REFERENCES "Customer");
    CREATE TABLE "Line" (id uuid PRIMARY KEY, item text NOT NULL, "basketId" bigint NOT NULL REFERENCES "Basket");
    CREATE TABLE "Tag" (name text PRIMARY KEY, "basketId" bigint NOT NULL REFERENCES "Basket")`);
  const ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool, as: 'bigint' });
  const uuids = createUuid7Generator();
  const batches = [vi.spyOn(ids, 'nextBatch'), vi.spyOn(uuids, 'nextBatch')];
  const adapter = new PrismaPg({ connectionString: schema.url }, { schema: schema.name });
  const plain = new PrismaClient({ adapter });
  return {
    plain,
    uuids,
    prisma: plain.$extends(shopIds(ids, uuids)),
    /** The sizes of the batches of numbers and of UUIDs since the last time. */
    batchSizes: () =>
      batches.map(({ mock }) => mock.calls.splice(0).map(([count]) => count)) as [number[], number[]],
    async [Symbol.asyncDispose]() {
      await plain.$disconnect();
      await ids.close();
      await uuids.close();
      await schema[Symbol.asyncDispose]();
    },
  };
}

/** All that there is, without the UUIDs: those are checked to be some. */
async function allOf({ plain }: { readonly plain: Client }) {
  const order = { orderBy: { id: 'asc' } };
  const lines = { ...order, select: { item: true, id: true } };
  const include = { lines, tags: { select: { name: true } }, customer: { select: { id: true, name: true } } };
  const baskets = await plain.basket.findMany({ ...order, include });
  const isLine = (value: unknown): value is { id: string; item: string } =>
    typeof value === 'object' && value !== null && 'item' in value;
  return JSON.parse(
    JSON.stringify(baskets, (_, value) => {
      if (typeof value === 'bigint') return Number(value);
      return isLine(value) ? (isUuid7(value.id) ? value.item : 'no UUID') : value;
    }),
  );
}

it('Prisma fills the ids of rows that a call creates below another, a batch for each model', async () => {
  await using shop = await openShop();
  const { prisma, batchSizes } = shop;
  const lines = { createMany: { data: [{ item: 'tea' }, { item: 'milk' }] } };
  const data = {
    name: 'Ada',
    baskets: {
      create: [{ lines }, { lines: { create: { item: 'salt' } }, tags: { create: { name: 'gift' } } }],
    },
  };
  await prisma.customer.create({ data });
  expect(batchSizes()).toEqual([[1, 2], [3]]);
  const ada = { id: 1, name: 'Ada' };
  const first = { id: 2, customerId: 1, customer: ada, lines: ['tea', 'milk'], tags: [] };
  const second = { id: 3, customerId: 1, customer: ada, lines: ['salt'], tags: [{ name: 'gift' }] };
  expect(await allOf(shop)).toEqual([first, second]);

  // What the caller holds is untouched, so that it serves for other rows.
  await prisma.$transaction(async (tx) => {
    await tx.basket.create({ data: { lines } });
    await tx.basket.create({ data: { id: 77n, lines } });
  });
  expect(batchSizes()).toEqual([[1], [2, 2]]);
  const alone = { customerId: null, customer: null, lines: ['tea', 'milk'], tags: [] };
  expect(await allOf(shop)).toEqual([first, second, { id: 4, ...alone }, { id: 77, ...alone }]);
});

it('Prisma fills the ids of connectOrCreate, upsert and updates, at any depth', async () => {
  await using shop = await openShop();
  const { prisma, uuids, batchSizes } = shop;
  const customer = { connectOrCreate: { where: { name: 'Ada' }, create: { name: 'Ada' } } };
  await prisma.basket.create({ data: { customer } });
  // The customer is there by now, so its id is a gap.
  await prisma.basket.create({ data: { customer } });
  expect(batchSizes()).toEqual([[1, 1, 1, 1], []]);

  const own = uuids.nextSync();
  const line = (item: string) => ({ where: { id: own }, create: { id: own, item }, update: { item } });
  const update = { where: { id: 1n }, data: { lines: { upsert: [line('tea'), line('milk')] } } };
  await prisma.basket.update(update);
  await prisma.customer.update({
    where: { id: 2n },
    data: { baskets: { update: { where: { id: 1n }, data: { lines: { create: [{ item: 'rice' }] } } } } },
  });
  // Of one row, an update is the data alone, or `data` beside `where`.
  const renamed = (name: string) => ({ customer: { create: { name } } });
  for (const update of [renamed('Cid'), { where: { id: 1n }, data: renamed('Dan') }])
    await prisma.line.update({ where: { id: own }, data: { basket: { update } } });
  expect(batchSizes()).toEqual([[1, 1], [1]]);

  const upsert = {
    where: { name: 'Bob' },
    create: { name: 'Bob', baskets: { create: {} } },
    update: {
      baskets: { upsert: { where: { id: 0n }, create: { lines: { create: { item: 'figs' } } }, update: {} } },
    },
  };
  await prisma.customer.upsert(upsert);
  await prisma.customer.upsert(upsert);
  expect(batchSizes()).toEqual([
    [1, 2, 1, 2],
    [1, 1],
  ]);
  const [ada, bob, dan] = [
    { id: 2, name: 'Ada' },
    { id: 7, name: 'Bob' },
    { id: 6, name: 'Dan' },
  ];
  expect(await allOf(shop)).toEqual([
    { id: 1, customerId: 6, customer: dan, lines: ['milk', 'rice'], tags: [] },
    { id: 3, customerId: 2, customer: ada, lines: [], tags: [] },
    { id: 8, customerId: 7, customer: bob, lines: [], tags: [] },
    { id: 12, customerId: 7, customer: bob, lines: ['figs'], tags: [] },
  ]);
});

it('Prisma fills a field of another name, in a transaction of many calls, and never beyond the end of an Int', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('CREATE TABLE "Ticket" (number int PRIMARY KEY, item text NOT NULL)');
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  await using beyond = createTestGenerator(ids, { seed: 4_000 });
  const adapter = new PrismaPg({ connectionString: schema.url }, { schema: schema.name });
  const plain = new PrismaClient({ adapter });
  try {
    const [good, bad] = [ids, beyond].map((generator) =>
      plain.$extends(fillIds({ Ticket: { ids: generator, field: 'number' } })),
    ) as [Client, Client];
    const create = ({ ticket }: Client, item: string) => ticket.create({ data: { item } });
    const made = [
      { number: 1, item: 'one' },
      { number: 2, item: 'two' },
    ];
    expect(await good.$transaction([create(good, 'one'), create(good, 'two')])).toEqual(made);
    await expect(good.$transaction([create(good, 'three'), create(bad, 'four')])).rejects.toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
    });
    expect(await plain.ticket.findMany({ orderBy: { number: 'asc' } })).toEqual(made);
  } finally {
    await plain.$disconnect();
  }
});

it('Prisma has a row without an id refused by the database, where the extension was forgotten', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('ALTER TABLE orders RENAME TO "Order"');
  const plain = new PrismaClient({
    adapter: new PrismaPg({ connectionString: schema.url }, { schema: schema.name }),
  });
  try {
    await expect(plain.order.create({ data: { item: 'one' } })).rejects.toThrow('Null constraint');
  } finally {
    await plain.$disconnect();
  }
});
