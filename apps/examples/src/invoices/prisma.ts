import { nextWithin } from '@ids/gapless';

interface NewInvoice {
  customer: string;
  issuedOn: Date;
  amount: number;
}

/** What this needs of the client that `prisma generate` writes. */
interface Transaction {
  invoice: { create(args: { data: NewInvoice & { number: number } }): Promise<unknown> };
}
interface Client<Tx extends Transaction> {
  $transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** `prisma.$transaction([…])` cannot do it: its statements are made before the number is known. */
export async function issueInvoice<Tx extends Transaction>(prisma: Client<Tx>, invoice: NewInvoice) {
  return await prisma.$transaction(async (tx) => {
    const number = await nextWithin(tx, 'invoice', invoice.customer);
    await tx.invoice.create({ data: { ...invoice, number } });
    return number;
  });
}
