import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineConfig, openIds, planGenerators, planSeries } from '../src/index.js';
import { counting, local } from './support.js';

const DATABASE = 'postgres://one:secret@db/shop';

function problemsOf(config: object): string {
  try {
    planGenerators([local, counting], config);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the series of a config', () => {
  const config = defineConfig({
    database: DATABASE,
    generators: { event: { strategy: 'local' } },
    series: {
      invoice: {
        deadlineMs: 500,
        afterRestore: 'refuse',
        startAfter: { table: 'invoices', column: 'code', format: 'INV-{yyyy}-{n}', perYear: true },
      },
      receipt: { name: 'till receipt', table: 'app.numbers', database: 'mysql://db/tills' },
    },
  });

  it('are what nextWithin takes, without their database', async () => {
    await using ids = await openIds({ strategies: [local], config });
    expect(ids.series('invoice')).toEqual({
      name: 'invoice',
      table: 'id_number',
      deadlineMs: 500,
      afterRestore: 'refuse',
    });
    expect(ids.series('receipt')).toEqual({ name: 'till receipt', table: 'app.numbers' });
    expectTypeOf(ids.series).parameter(0).toEqualTypeOf<'invoice' | 'receipt'>();
    expect(() => ids.series('invoce' as 'invoice')).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining('"invoice"') }),
    );
  });

  it('are planned with their database and their documents', () => {
    const { invoice, receipt } = Object.fromEntries(planSeries(config));
    expect(invoice).toMatchObject({ entry: 'invoice', database: DATABASE });
    expect(invoice?.startAfter).toMatchObject({ table: 'invoices', column: 'code', perYear: true });
    expect(invoice?.startAfter?.format?.parse('INV-2026-42')).toEqual({ number: 42, year: 2026 });
    expect(receipt).toMatchObject({ database: 'mysql://db/tills', startAfter: undefined });
  });

  it('may be all that a service has', async () => {
    await using ids = await openIds({ strategies: [local], config: { generators: {}, series: { a: {} } } });
    expect(ids.series('a')).toEqual({ name: 'a', table: 'id_number' });
  });
});

describe('a series that is also served with gaps', () => {
  const beside = (generator: object, invoice: object = {}, more: object = {}) =>
    problemsOf({
      database: DATABASE,
      generators: { order: { strategy: 'counting', ...generator } },
      series: { invoice, ...more },
    });

  it.each([
    [{ name: 'invoice' }, {}],
    [{ name: 'bill', database: 'postgres://two@db/shop?application_name=two' }, { name: 'bill' }],
    [{ table: 'id_number' }, {}],
    [{ table: 'numbers_series' }, { table: 'numbers' }],
    [{ table: 'numbers_reference' }, { table: 'numbers' }],
    [{ column: 'invoices.number' }, { startAfter: { table: 'invoices', column: 'number' } }],
  ])('is refused: %j beside %j', (generator, invoice) => {
    expect(beside(generator, invoice)).toMatch(/^series\.invoice: [^\n]*$/);
  });

  it('is refused under two names of the config', () => {
    expect(beside({}, {}, { bill: { name: 'invoice' } })).toMatch(/^series\.bill: [^\n]*$/);
  });

  it.each([
    [{}, {}],
    [{ name: 'invoice', database: 'postgres://one@db/other' }, {}],
    [{ strategy: 'local' }, {}],
    [{ column: 'invoices.id' }, { startAfter: { table: 'invoices', column: 'number' } }],
  ])('is another one: %j beside %j', (generator, invoice) => {
    expect(beside(generator, invoice)).toBe('');
  });
});
