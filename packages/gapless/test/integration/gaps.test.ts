import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { describe, expect, it } from 'vitest';
import { findGaps, nextWithin } from '../../src/index.js';
import { inTransaction, openNumberDatabase } from './number-database.js';

const INVOICE = { pattern: /^INV-([0-9]{4})-([0-9]{5})$/, groups: { year: 1, number: 2 } };

describe.each(ALL_DIALECTS)('the audit on $server', (kind) => {
  it('finds what is missing and what is repeated, within each key', async () => {
    const { executor, invoices, session } = await openNumberDatabase(kind);
    const values = [
      ...[1, 2, 4, 8].map((number) => `(${number}, 'acme')`),
      ...[2, 3, 3, 3, 4].map((number) => `(${number}, 'globex')`),
      ...[1, 2, 3].map((number) => `(${number}, 'Grüße')`),
    ];
    await session.query(`INSERT INTO ${invoices} VALUES ${values.join(', ')}`);
    const table = { table: invoices, column: 'number', keyColumn: 'customer' };
    const found = [
      { key: 'acme', kind: 'missing', first: 3, last: 3 },
      { key: 'acme', kind: 'missing', first: 5, last: 7 },
      { key: 'globex', kind: 'missing', first: 1, last: 1 },
      { key: 'globex', kind: 'repeated', first: 3, last: 3 },
    ];
    expect(await findGaps(executor, table)).toEqual({ findings: found, more: false });
    expect((await findGaps(executor, table, { limit: 2 })).more).toBe(true);
    const lowest = await findGaps(executor, table, { start: 'lowest' });
    expect(lowest.findings).toEqual(found.filter(({ first }) => first !== 1));
    // Of one key: equal numbers of customers are repeated.
    const { findings } = await findGaps(executor, { table: invoices, column: 'number' });
    expect(findings.map(({ kind, first, last }) => `${kind} ${first}-${last}`)).toEqual([
      'repeated 1-1',
      'repeated 2-2',
      'repeated 3-3',
      'repeated 4-4',
      'missing 5-7',
    ]);
  });

  it('finds what is missing beside an index that keeps numbers from being repeated', async () => {
    const { executor, invoices, session } = await openNumberDatabase(kind);
    await session.query(
      `INSERT INTO ${invoices} VALUES (1, 'a'), (3, 'a'), (2, 'b'), (1, 'c'), (2, 'c'), (0, 'd')`,
    );
    await session.query(`CREATE UNIQUE INDEX ${invoices}_unique ON ${invoices} (customer, number)`);
    const table = { table: invoices, column: 'number', keyColumn: 'customer' };
    const audit = async (start: number | 'lowest') =>
      (await findGaps(executor, table, { start })).findings.map(({ key, first }) => `${key} ${first}`);
    expect(await audit(1)).toEqual(['a 2', 'b 1']);
    expect(await audit('lowest')).toEqual(['a 2']);
    // The index is none on the number alone.
    const { findings } = await findGaps(executor, { table: invoices, column: 'number' });
    expect(findings).toContainEqual({ key: '', kind: 'repeated', first: 1, last: 1 });
  });

  it('compares the end of each key with what the series has issued', async () => {
    const { executor, table, invoices, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const issue = (customer: string, writes = true) =>
      inTransaction(caller, async () => {
        const number = await nextWithin(caller.tx, 'invoice', customer, { table });
        if (writes) await caller.run(`INSERT INTO ${invoices} VALUES (${number}, '${customer}')`);
      });
    for (const customer of ['acme', 'acme', 'globex']) await issue(customer);
    const documents = { table: invoices, column: 'number', keyColumn: 'customer' };
    const audit = async () => (await findGaps(executor, documents, { table, series: 'invoice' })).findings;
    expect(await audit()).toEqual([]);
    await issue('acme', false);
    await issue('none', false);
    await caller.run(`INSERT INTO ${invoices} VALUES (2, 'globex'), (1, 'alien')`);
    expect(await audit()).toEqual([
      { key: 'acme', kind: 'missing', first: 3, last: 3 },
      { key: 'alien', kind: 'not-issued', first: 1, last: 1 },
      { key: 'globex', kind: 'not-issued', first: 2, last: 2 },
      { key: 'none', kind: 'missing', first: 1, last: 1 },
    ]);
  });

  it('reads numbers from strings, each year for itself', async () => {
    const { executor, invoices, session } = await openNumberDatabase(kind);
    const texts = `${invoices}_text`;
    await session.query(`CREATE TABLE ${texts} (number varchar(40), customer bigint)`);
    await session.query(
      `INSERT INTO ${texts} VALUES ('INV-2025-00001', 5), ('INV-2025-00003', 5), ('INV-2026-00001', 5), (NULL, 5)`,
    );
    const documents = { table: texts, column: 'number', keyColumn: 'customer', format: INVOICE };
    const audit = async (perYear: boolean) => (await findGaps(executor, { ...documents, perYear })).findings;
    expect(await audit(true)).toEqual([{ key: '5/2025', kind: 'missing', first: 2, last: 2 }]);
    expect(await audit(false)).toEqual([
      { key: '5', kind: 'repeated', first: 1, last: 1 },
      { key: '5', kind: 'missing', first: 2, last: 2 },
    ]);
    await session.query(`INSERT INTO ${texts} VALUES ('INV-2026-2', 5)`);
    await expect(audit(true)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  });

  it('refuses what is no table, and options that are out of range', async () => {
    const { executor, invoices } = await openNumberDatabase(kind);
    const documents = { table: invoices, column: 'number' };
    await expect(findGaps(executor, { ...documents, table: 'nowhere' })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('nowhere'),
    });
    await expect(findGaps(executor, documents, { start: -1 })).rejects.toThrow('"start"');
    await expect(findGaps(executor, documents, { limit: 0 })).rejects.toThrow('"limit"');
  });
});
