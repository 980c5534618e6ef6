import type { Guarantees, Id, IdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { MessagesPage } from '@ids/local-services/messages-page';
import { expect, it } from 'vitest';
import { fillingsOf, type ModelIds, type Models, modelsOf } from '../src/models.js';

/* What users of this package read; `pnpm vitest run --project prisma messages -u` writes it anew. */

const models: Models = {
  Order: {
    fields: [
      { name: 'id', kind: 'scalar', type: 'BigInt' },
      { name: 'paidAt', kind: 'scalar', type: 'DateTime' },
      { name: 'lines', kind: 'object', type: 'Line' },
    ],
  },
  Line: {
    fields: [
      { name: 'number', kind: 'scalar', type: 'Int' },
      { name: 'text', kind: 'scalar', type: 'String' },
    ],
  },
};

function generator(idType: Guarantees['idType']): IdGenerator {
  const guarantees: Guarantees = {
    unique: 'process',
    order: { process: 'none', cluster: 'none' },
    gaps: 'never',
    sync: true,
    idType,
    text: { pattern: /./, maxLength: 9, sortable: false },
    backends: [],
    discloses: [],
  };
  return memoryGenerator({ strategy: 'local', guarantees, issue: (): Id => 1 });
}
const [numbers, bigints, strings] = [generator('number'), generator('bigint'), generator('string')] as const;

const wrong: Readonly<Record<string, () => unknown>> = {
  'another version of Prisma': () => modelsOf({}),
  'a model that does not exist': () => fillingsOf(models, { order: bigints }),
  'a model of every object': () => fillingsOf(models, { toString: bigints }),
  'no field id': () => fillingsOf(models, { Line: numbers }),
  'a field that does not exist': () => fillingsOf(models, { Line: { ids: numbers, field: 'numbers' } }),
  'a relation': () => fillingsOf(models, { Order: { ids: numbers, field: 'lines' } }),
  'bigints for an Int': () => fillingsOf(models, { Line: { ids: bigints, field: 'number' } }),
  'strings for a BigInt': () => fillingsOf(models, { Order: strings }),
  'numbers for a String': () => fillingsOf(models, { Line: { ids: numbers, field: 'text' } }),
  'a field of another type': () => fillingsOf(models, { Order: { ids: strings, field: 'paidAt' } }),
  'a generator that was not awaited': () =>
    fillingsOf(models, { Order: Promise.resolve(bigints) as unknown as ModelIds }),
  'no generator': () => fillingsOf(models, { Order: { ids: 5, field: 'id' } as unknown as ModelIds }),
  'a number above the end of an Int': () =>
    fillingsOf(models, { Line: { ids: numbers, field: 'number' } })
      .get('Line')
      ?.assertFits(2 ** 31),
};

it('refuses what cannot work with a message that says what is accepted', async () => {
  const page = new MessagesPage(import.meta.url);
  page.section('Wrong models');
  await page.refusals(/^ERR_IDS_(CONFIG|EXHAUSTED)$/, Object.entries(wrong));
  await page.compare();
});

it('takes a number for a BigInt, up to the last Int, and leaves out what is undefined', () => {
  const fillings = fillingsOf(models, {
    Order: numbers,
    Line: { ids: numbers, field: 'number' },
    Ordr: undefined,
  });
  expect([...fillings.keys()]).toEqual(['Order', 'Line']);
  expect(() => fillings.get('Order')?.assertFits(2 ** 31)).not.toThrow();
  expect(() => fillings.get('Line')?.assertFits(2 ** 31 - 1)).not.toThrow();
});
