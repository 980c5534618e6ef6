import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type BrandedId,
  createIds,
  type Guarantees,
  type Id,
  type SyncIdGenerator,
  typed,
} from '../src/index.js';
import { type IdCodec, type IdSchema, idScalar, idSchema, storedIdSchema } from '../src/schema/index.js';
import { memoryGenerator } from '../src/strategy.js';
import { COUNTER_GUARANTEES, counterStrategy } from './support.js';

type Text = Guarantees['text'];

function source<T extends Id>(idType: Guarantees['idType'], text: Partial<Text>): SyncIdGenerator<T> {
  const guarantees = { ...COUNTER_GUARANTEES, idType, text: { ...COUNTER_GUARANTEES.text, ...text } };
  return memoryGenerator<T>({ strategy: 'test', guarantees, issue: () => 1 as T });
}

const numbers = source<number>('number', { pattern: /^[1-9][0-9]{0,15}$/ });
const bigints = source<bigint>('bigint', { pattern: /^(0|[1-9][0-9]{0,18})$/, maxLength: 19 });
const digits = source<string>('string', { pattern: /^[0-9]+$/, alphabet: '0123456789', maxLength: 19 });
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const uuidText = {
  pattern: UUID,
  alphabet: '-0123456789abcdef',
  minLength: 36,
  maxLength: 36,
  sortable: true,
};
const uuids = source<string>('string', uuidText);

/** Reads lower case too, and writes numbers up to 99 with two digits. */
const codec: IdCodec<number> = {
  guarantees: { ...numbers.guarantees, idType: 'string', text: { ...uuidText, pattern: /^N[0-9]{2}$/ } },
  encode(id) {
    if (!Number.isInteger(id) || id < 0 || id > 99) throw new RangeError(`only up to 99, got ${id}`);
    return `N${String(id).padStart(2, '0')}`;
  },
  decode(text) {
    const [, found] = /^n([0-9]{2})$/i.exec(text) ?? [];
    if (found === undefined) throw new SyntaxError(`${JSON.stringify(text)} is not an id`);
    return Number(found);
  },
};

const UUID_1 = '019b76da-a800-7abc-9d78-9abcfedcba98';

describe('idSchema', () => {
  it.each<[string, IdSchema<Id, unknown>, readonly Id[], readonly unknown[]]>([
    [
      'numbers',
      idSchema('OrderId', numbers),
      [1, 2 ** 53 - 1],
      [0, -0, -1, 1.5, 2 ** 53, Number.NaN, '1', 1n, true, null, undefined, [1], {}],
    ],
    [
      'bigints',
      idSchema('OrderId', bigints),
      [0n, 2n ** 63n - 1n],
      [-1n, 2n ** 63n, 1, '', ' 1', '01', '9'.repeat(19)],
    ],
    [
      'digits',
      idSchema('OrderId', digits),
      ['1', String(2n ** 63n - 1n)],
      [1, String(2n ** 63n), 'a', '1\n'],
    ],
    ['UUIDs', idSchema('OrderId', uuids), [UUID_1], [UUID_1.toUpperCase(), `${UUID_1}0`, 'x', 7]],
    ['encoded ids', idSchema('OrderId', codec), ['N07'], ['N7', 'M07', 'N070', 7]],
  ])('takes %s, and nothing else', async (_, schema, valid, invalid) => {
    for (const id of valid) {
      expect(schema.parse(id)).toBe(id);
      expect(schema.is(id)).toBe(true);
      expect(await schema['~standard'].validate(id)).toEqual({ value: id });
    }
    for (const value of invalid) {
      expect(() => schema.parse(value), String(value)).toThrow(/^OrderId: /);
      expect(schema.is(value)).toBe(false);
      expect(await schema['~standard'].validate(value)).toEqual({
        issues: [{ message: expect.stringMatching(/^OrderId: /) }],
      });
    }
  });

  it('reads bigints from their digits too, and writes them so', () => {
    const schema = idSchema('OrderId', bigints);
    expect(schema.parse('42')).toBe(42n);
    expect(schema.is('42')).toBe(false);
    expect(schema.serialize(42n)).toBe('42');
    expect(() => schema.serialize('42')).toThrow('OrderId: must be 42, got "42"');
  });

  it('returns a text as it was issued, however people wrote it', () => {
    const schema = idSchema('OrderId', codec);
    expect(schema.parse('n07')).toBe('N07');
    expect(schema.is('n07')).toBe(false);
  });

  it('says what would be accepted', () => {
    expect(() => idSchema('OrderId', numbers).parse('7')).toThrow(
      'OrderId: must be a whole number from 1 to 9007199254740991, got "7"',
    );
    expect(() => idSchema('OrderId', uuids).parse(7)).toThrow(
      'OrderId: must be a string that matches ^[0-9a-f]{8}',
    );
    expect(() => idSchema('order id', numbers)).toThrow(
      'must be one of a type, such as OrderId, got "order id"',
    );
  });

  it('describes the same in JSON Schema', () => {
    expect(idSchema('OrderId', numbers).jsonSchema).toEqual({
      title: 'OrderId',
      type: 'integer',
      minimum: 1,
      maximum: 2 ** 53 - 1,
    });
    expect(idSchema('OrderId', bigints).jsonSchema).toEqual({
      title: 'OrderId',
      type: 'string',
      pattern: '^(?:(0|[1-9][0-9]{0,18}))$',
      maxLength: 19,
    });
    const uuid = idSchema('OrderId', uuids);
    expect(uuid.jsonSchema).toMatchObject({
      format: 'uuid',
      pattern: UUID.source,
      minLength: 36,
      maxLength: 36,
    });
    expect(uuid['~standard'].jsonSchema.input({ target: 'draft-2020-12' })).toEqual(uuid.jsonSchema);
    const { guarantees: _, ...bare } = codec;
    expect(idSchema('OrderId', bare).jsonSchema).toEqual({ title: 'OrderId', type: 'string' });
  });

  it('leaves out a pattern whose flags JSON Schema does not have', () => {
    const either = source<string>('string', { pattern: /^[a-f]+$/i });
    expect(idSchema('OrderId', either).jsonSchema).toEqual({
      title: 'OrderId',
      type: 'string',
      maxLength: 16,
    });
    expect(idSchema('OrderId', either).is('Af')).toBe(true);
  });
});

describe('storedIdSchema', () => {
  it('reads a text as the id that was encoded', () => {
    const schema = storedIdSchema('OrderId', codec);
    expect(schema.parse('n07')).toBe(7);
    expect(schema.serialize(7)).toBe('N07');
    expect([schema.is(7), schema.is(100), schema.is('N07')]).toEqual([true, false, false]);
    expect(() => schema.parse('M07')).toThrow('OrderId: "M07" is not an id');
    expect(schema.jsonSchema).toMatchObject({ type: 'string', pattern: '^N[0-9]{2}$' });
    expect(schema['~standard'].jsonSchema.output()).toEqual({ title: 'OrderId' });
  });

  it('reads the digits of numbers and bigints, as in a path', () => {
    const schema = storedIdSchema('OrderId', numbers);
    expect(schema.parse('42')).toBe(42);
    for (const wrong of ['0', '042', '1e3', '9007199254740992', '9007199254740993', '', 42]) {
      expect(() => schema.parse(wrong), String(wrong)).toThrow(/^OrderId: must be /);
    }
    expect(schema.jsonSchema).toMatchObject({ type: 'string', pattern: '^[1-9][0-9]{0,15}$' });
    expect(schema['~standard'].jsonSchema.output()).toEqual(idSchema('OrderId', numbers).jsonSchema);
    expect(storedIdSchema('OrderId', bigints).parse('42')).toBe(42n);
    expect(storedIdSchema('OrderId', uuids).parse(UUID_1)).toBe(UUID_1);
  });
});

describe('idScalar', () => {
  it('reads what a query has, and writes what JSON has', () => {
    const number = idScalar(idSchema('OrderId', numbers));
    expect(number.name).toBe('OrderId');
    expect(number.parseLiteral({ kind: 'IntValue', value: '42' } as never)).toBe(42);
    expect(() => number.parseLiteral({ kind: 'StringValue', value: '42' } as never)).toThrow(
      'OrderId: must be',
    );
    expect(() => number.parseLiteral({ kind: 'ListValue' })).toThrow(
      'OrderId: must be a string or a whole number',
    );
    expect(idScalar(idSchema('OrderId', bigints)).serialize(42n)).toBe('42');
    expect(idScalar(storedIdSchema('OrderId', codec)).serialize(7)).toBe('N07');
  });
});

describe('types', () => {
  it('are branded by the name, at the edge as in the service', () => {
    const order = idSchema('OrderId', numbers);
    const user = idSchema('UserId', numbers);
    type OrderId = ReturnType<typeof order.parse>;
    expectTypeOf<OrderId>().toEqualTypeOf<BrandedId<'OrderId', number>>();
    expectTypeOf<OrderId>().toExtend<number>();
    expectTypeOf<number>().not.toExtend<OrderId>();
    expectTypeOf<ReturnType<typeof user.parse>>().not.toExtend<OrderId>();
    const issued = typed<'OrderId'>(numbers).nextSync();
    expectTypeOf(issued).toExtend<OrderId>();
    expectTypeOf(idSchema('OrderId', typed<'OrderId'>(numbers)).parse(1)).toExtend<OrderId>();
  });

  it('follow the generator, the plan or the codec', async () => {
    expectTypeOf(idSchema('A', bigints)).toEqualTypeOf<IdSchema<BrandedId<'A', bigint>, bigint | string>>();
    expectTypeOf(idSchema('A', codec)).toEqualTypeOf<IdSchema<BrandedId<'A', string>, string>>();
    expectTypeOf(storedIdSchema('A', codec)).toEqualTypeOf<IdSchema<BrandedId<'A', number>, string>>();
    expectTypeOf(storedIdSchema('A', numbers)).toEqualTypeOf<IdSchema<BrandedId<'A', number>, string>>();
    const planned = idSchema('A', createIds([counterStrategy('counter')]).plan({ strategy: 'counter' }));
    expectTypeOf(planned).toEqualTypeOf<IdSchema<BrandedId<'A', number>, number>>();
    expect(planned.is(7)).toBe(true);
  });
});

it('takes less than 2 kB in a web page, gzipped', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '../src/schema/index.js'", resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const [page] = outputFiles;
  expect(gzipSync(page?.contents ?? '').length).toBeLessThan(2_000);
});
