import { createSeries, ensureNumberSchema } from '@ids/gapless';
import type {} from '@ids/local-services/vitest-setup';
import { fromPg } from '@ids/store/postgres';
import { drizzle } from 'drizzle-orm/node-postgres';
import { expect, inject, it } from 'vitest';
import { invoices, issueInvoice } from '../../../src/invoices/drizzle.js';
import { ownSchema } from '../../support/own-schema.js';

it('Drizzle issues invoices without gaps, also if one of them is refused', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const executor = fromPg(schema.pool);
  await ensureNumberSchema(executor);
  await createSeries(executor, 'invoice');
  await schema.pool.query(`CREATE TABLE invoices (customer text NOT NULL, number bigint NOT NULL,
    issued_on date NOT NULL, amount integer NOT NULL CHECK (amount > 0), UNIQUE (customer, number))`);
  const db = drizzle({ client: schema.pool });
  const issue = (customer: string, amount: number) =>
    issueInvoice(db, { customer, issuedOn: '2026-12-31', amount });

  expect(await issue('acme', 100)).toBe(1);
  await expect(issue('acme', -1)).rejects.toThrow();
  expect(await Promise.all([issue('acme', 200), issue('globex', 300)])).toEqual([2, 1]);
  expect(await db.select().from(invoices).orderBy(invoices.customer, invoices.number)).toEqual([
    { customer: 'acme', number: 1, issuedOn: '2026-12-31', amount: 100 },
    { customer: 'acme', number: 2, issuedOn: '2026-12-31', amount: 200 },
    { customer: 'globex', number: 1, issuedOn: '2026-12-31', amount: 300 },
  ]);
});
