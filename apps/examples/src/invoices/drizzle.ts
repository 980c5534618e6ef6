import { nextWithin } from '@ids/gapless';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { bigint, date, integer, pgTable, text, unique } from 'drizzle-orm/pg-core';

/** Amounts in cents. The constraint finds what no program should do: the same number twice. */
export const invoices = pgTable(
  'invoices',
  {
    customer: text().notNull(),
    number: bigint({ mode: 'number' }).notNull(),
    issuedOn: date('issued_on').notNull(),
    amount: integer().notNull(),
  },
  (table) => [unique().on(table.customer, table.number)],
);

/** Everything else comes first, so that the customer's next invoice waits for two statements and a commit. */
export async function issueInvoice(
  db: NodePgDatabase,
  { customer, issuedOn, amount }: { customer: string; issuedOn: string; amount: number },
) {
  return await db.transaction(async (tx) => {
    const number = await nextWithin(tx, 'invoice', customer);
    await tx.insert(invoices).values({ customer, number, issuedOn, amount });
    return number;
  });
}
