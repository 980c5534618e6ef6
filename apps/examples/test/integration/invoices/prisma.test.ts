import { createSeries, ensureNumberSchema, nextWithin } from '@ids/gapless';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { openDatabase } from '@ids/store/open';
import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { issueInvoice } from '../../../src/invoices/prisma.js';
import { generatePrismaClient } from '../../support/prisma-client.js';

interface Invoice {
  customer: string;
  issuedOn: Date;
  amount: number;
  number: number;
}
interface Transaction {
  invoice: { create(args: { data: Invoice }): Promise<unknown> };
}
/** What the test uses of the client, which is generated at run time. */
interface Client extends Transaction {
  readonly invoice: Transaction['invoice'] & {
    findMany(args: { orderBy: { number: 'asc' }; where: { customer: string } }): Promise<Invoice[]>;
  };
  $transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  $disconnect(): Promise<void>;
}
type ClientClass = new (options: { adapter: PrismaPg | PrismaMariaDb }) => Client;

describe.each(SQL_DIALECTS)('Prisma on $server', ({ dialect, server, shared, connect }) => {
  let PrismaClient: ClientClass;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const provider = dialect === 'mysql' ? 'mysql' : 'postgresql';
    ({ PrismaClient, remove } = await generatePrismaClient<ClientClass>(
      'src/invoices/schema.prisma',
      provider,
    ));
  });
  afterAll(() => remove());

  async function openInvoices() {
    const database = await shared();
    const session = connect(database);
    onTestFinished(() => session.end());
    const schema = uniqueName('invoices');
    if (dialect === 'postgres') await session.query(`CREATE SCHEMA ${schema}`);
    const own = new URL(database);
    if (dialect === 'postgres') own.searchParams.set('options', `-c search_path=${schema}`);
    const executor = await openDatabase(own.href);
    onTestFinished(() => executor.close());
    await ensureNumberSchema(executor);
    await createSeries(executor, 'invoice');
    await executor.execute(
      `CREATE TABLE invoices (customer varchar(191) NOT NULL, number bigint NOT NULL, issued_on date NOT NULL,
        amount integer NOT NULL CHECK (amount > 0), PRIMARY KEY (customer, number))`,
      [],
    );
    const adapter =
      dialect === 'postgres'
        ? new PrismaPg({ connectionString: own.href }, { schema })
        : new PrismaMariaDb(own.href.replace(/^mysql:/, 'mariadb:'));
    const prisma = new PrismaClient({ adapter });
    onTestFinished(() => prisma.$disconnect());
    return { prisma, url: own.href };
  }

  it('issues invoices without gaps, also if one of them is refused', async () => {
    const { prisma } = await openInvoices();
    const issue = (customer: string, amount: number) =>
      issueInvoice(prisma, { customer, issuedOn: new Date('2026-12-31'), amount });
    expect(await issue('acme', 100)).toBe(1);
    await expect(issue('acme', -1)).rejects.toThrow();
    expect(await Promise.all([issue('acme', 200), issue('globex', 300)])).toEqual([2, 1]);
    const rows = await prisma.invoice.findMany({ orderBy: { number: 'asc' }, where: { customer: 'acme' } });
    expect(rows.map(({ number, amount }) => [Number(number), amount])).toEqual([
      [1, 100],
      [2, 200],
    ]);
  });

  it('is refused outside a transaction, and with the client itself', async () => {
    const { prisma } = await openInvoices();
    await expect(nextWithin(prisma, 'invoice')).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining('begin a transaction'),
    });
    const ended = await prisma.$transaction(async (tx) => ({ tx }));
    await expect(nextWithin(ended.tx, 'invoice')).rejects.toThrow();
    expect(await prisma.$transaction((tx) => nextWithin(tx, 'invoice'))).toBe(1);
  });

  it(`names the holder at the deadline on ${server}`, async () => {
    const { prisma } = await openInvoices();
    await prisma.$transaction((tx) => nextWithin(tx, 'invoice'));
    const forgotten = new Error('forgotten');
    const holder = prisma.$transaction(async (tx) => {
      await nextWithin(tx, 'invoice');
      await expect(
        prisma.$transaction((other) => nextWithin(other, 'invoice', '', { deadlineMs: 300 })),
      ).rejects.toMatchObject({
        code: 'ERR_IDS_TIMEOUT',
        message: expect.stringMatching(/held by process \d+/),
      });
      throw forgotten;
    });
    await expect(holder).rejects.toBe(forgotten);
    expect(await prisma.$transaction((tx) => nextWithin(tx, 'invoice'))).toBe(2);
  });
});
