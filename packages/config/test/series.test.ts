import type { IdStrategy } from '@ids/core';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineConfig, openIds, planGenerators, planSeries } from '../src/index.js';
import { local, requiring } from './support.js';

const DATABASE = 'postgres://one:secret@db/shop';

const counting = {
  ...local,
  name: 'counting',
  options: requiring(),
  optionNames: ['name', 'database', 'table'],
  store: ({ name, table = 'id_segment' }: Record<string, unknown>) => ({
    name,
    table,
    rows: 'sequences',
    position: {},
  }),
} as unknown as IdStrategy;

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
      'unknown series "invoce" (did you mean "invoice"? known: invoice, receipt)',
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

  it.each([
    [{ series: [] }, 'series: must be an object of series by name, got an array'],
    [{ series: { a: 5 } }, 'series.a: must be an object, got 5'],
    [
      { series: { a: { tabel: 'x' } } },
      'series.a: unknown key "tabel" (did you mean "table"? known: name, database, table, deadlineMs, afterFailover, afterRestore, startAfter)',
    ],
    [
      { series: { '{}': {} } },
      'series.{}.name: must be 1 to 255 characters, no control characters, no braces, got "{}"',
    ],
    [
      { series: { a: { deadlineMs: 0.5 } } },
      'series.a.deadlineMs: must be a whole number from 1 to 86400000, got 0.5',
    ],
    [
      { series: { a: { afterRestore: 'skip' } } },
      'series.a.afterRestore: must be "continue" or "refuse", got "skip"',
    ],
    [
      { series: { a: { database: 'postgres//one:secret@db' } } },
      'series.a.database: must be a postgres://, postgresql://, mysql:// or mariadb:// URL or a pool of pg or mysql2, got another string',
    ],
    [{ series: { a: { startAfter: { table: 'x' } } } }, 'series.a.startAfter.column: is required'],
    [
      { series: { a: { startAfter: { table: 'x', column: 'a b' } } } },
      'series.a.startAfter.column: must be a letter or _ and then up to 62 letters, digits, _ or $, got "a b"',
    ],
    [
      { series: { a: { startAfter: { table: 'x', column: 'y', perYear: true } } } },
      'series.a.startAfter.perYear: must be false without a "format" that has {yyyy}, got true',
    ],
    [
      { series: { a: { startAfter: { table: 'x', column: 'y', format: 'INV' } } } },
      expect.stringMatching(/^series\.a\.startAfter\.format: .*INV/),
    ],
  ])('are refused: %j', (config, problem) => {
    expect(problemsOf({ generators: { event: { strategy: 'local' } }, ...config })).toEqual(problem);
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
    [
      { name: 'invoice' },
      {},
      'series.invoice: generators.order issues sequence "invoice" with gaps (counting) in the same database: remove one of them, or set another "name"',
    ],
    [
      { name: 'bill', database: 'postgres://two@db/shop?application_name=two' },
      { name: 'bill' },
      'series.invoice: generators.order issues sequence "bill" with gaps (counting) in the same database: remove one of them, or set another "name"',
    ],
    [
      { table: 'id_number' },
      {},
      'series.invoice: table "id_number" is that of generators.order, whose counting keeps its sequences there: set another "table" for one of them',
    ],
    [
      { table: 'numbers_series' },
      { table: 'numbers' },
      'series.invoice: table "numbers_series" is that of generators.order, whose counting keeps its sequences there: set another "table" for one of them',
    ],
    [
      { column: 'invoices.number' },
      { startAfter: { table: 'invoices', column: 'number' } },
      'series.invoice: column invoices.number also has the IDs of generators.order (counting), which leave gaps and repeat numbers of the series: remove one of them',
    ],
  ])('is refused: %j beside %j', (generator, invoice, problem) => {
    expect(beside(generator, invoice)).toBe(problem);
  });

  it('is refused under two names of the config', () => {
    expect(beside({}, {}, { bill: { name: 'invoice' } })).toBe(
      'series.bill: "invoice" of table "id_number" is also series.invoice: keep one of them, or set another "name"',
    );
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
