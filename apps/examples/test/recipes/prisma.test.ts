import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type {} from '@ids/local-services/vitest-setup';
import { createSegmentGenerator } from '@ids/segment-inproc';
import { createUuid7Generator, isUuid7 } from '@ids/uuid7';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { fillIds } from '../../src/recipes/prisma.js';
import { openSnowflakes } from '../support/open-snowflakes.js';
import { ownSchema } from '../support/own-schema.js';

interface Order {
  readonly id: bigint;
  readonly item: string;
}
type NewOrder = Partial<Order> & Pick<Order, 'item'>;

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
  $extends(extension: ReturnType<typeof fillIds>): Client;
  $disconnect(): Promise<void>;
}
type ClientClass = new (options: { adapter: PrismaPg }) => Client;

/** Below this package, so that the generated client finds the packages it imports. */
const scratch = fileURLToPath(new URL('../../dist/prisma/', import.meta.url));
let folder: string;
let PrismaClient: ClientClass;

beforeAll(async () => {
  await mkdir(scratch, { recursive: true });
  folder = await mkdtemp(scratch);
  const schema = join(folder, 'schema.prisma');
  await copyFile(fileURLToPath(new URL('../../src/recipes/schema.prisma', import.meta.url)), schema);
  const command = createRequire(import.meta.url).resolve('prisma/build/index.js');
  // Generating needs no engine, but looks for one and would download it: any file will do.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
  await promisify(execFile)(process.execPath, [command, 'generate', '--schema', schema], {
    cwd: folder,
    env,
  });
  ({ PrismaClient } = await import(pathToFileURL(join(folder, 'client', 'client.ts')).href));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('Prisma fills the ids that calls leave out', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('ALTER TABLE orders RENAME TO "Order"');
  await using ids = await createSegmentGenerator({ name: 'order', database: schema.pool, as: 'bigint' });
  const adapter = new PrismaPg({ connectionString: schema.url }, { schema: schema.name });
  const plain = new PrismaClient({ adapter });
  try {
    const prisma = plain.$extends(fillIds(ids));
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
    const prisma = plain.$extends(fillIds(ids));
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
    const prisma = plain.$extends(fillIds(ids));
    const made = [];
    for (const item of ['one', 'two', 'three']) made.push(await prisma.event.create({ data: { item } }));
    expect(made.every(({ id }) => isUuid7(id))).toBe(true);
    expect(await prisma.event.findMany({ orderBy: { id: 'asc' } })).toEqual(made);
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
