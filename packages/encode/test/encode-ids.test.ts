import type { IdGenerator, SyncIdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { isMixedCase } from '../src/digits.js';
import { createCodec, type EncodeOptions, encodeIds } from '../src/index.js';
import { numberGuarantees, uuids } from './support/subject.js';

function counter(): SyncIdGenerator<number> {
  let count = 0;
  return memoryGenerator({ strategy: 'counter', guarantees: numberGuarantees, issue: () => ++count });
}

describe('encodeIds', () => {
  it('encodes what every call gives, and decodes it', async () => {
    await using ids = encodeIds(counter(), { as: 'base62', width: 3, prefix: 'n' });
    expect([ids.nextSync(), await ids.next(), ...ids.nextBatchSync(1), ...(await ids.nextBatch(1))]).toEqual([
      'n001',
      'n002',
      'n003',
      'n004',
    ]);
    expectTypeOf(ids.decode('n004')).toEqualTypeOf<number>();
    expect(ids.decode('n004')).toBe(4);
    expect(ids.encode(4)).toBe('n004');
  });

  it('encodes no bytes, of which many would have the same text', () => {
    const issue = () => new Uint8Array(16) as unknown as string;
    const inner = memoryGenerator({ strategy: 's', guarantees: uuids, issue });
    expect(() => encodeIds(inner, { form: 'typeid' }).nextSync()).toThrow(TypeError);
  });

  it('decodes what it gave of numbers that are filled up to a shortest length', () => {
    const text = { pattern: /\d{4,9}/, alphabet: '0123456789', minLength: 4, maxLength: 9, sortable: false };
    const guarantees = { ...numberGuarantees, idType: 'string', text } as const;
    const given = ['0007', '0000', '9999', '10000', '123456789'];
    const inner = memoryGenerator({ strategy: 's', guarantees, issue: () => given.shift() ?? '' });
    const ids = encodeIds(inner, { as: 'hex', prefix: 'n_' });
    const all = [...given];
    const encoded = all.map(() => ids.nextSync());
    expect(encoded).toEqual(['n_7', 'n_0', 'n_270f', 'n_2710', 'n_75bcd15']);
    expect(encoded.map(ids.decode)).toEqual(all);
    expect(all.map(ids.encode)).toEqual(encoded);
    // Of another number of zeros than the strategy gives, each number would have two strings.
    expect(() => ids.encode('00010')).toThrow(TypeError);
  });

  it('has no synchronous calls where the generator has none', () => {
    const { nextSync: _, nextBatchSync: __, ...async } = { ...counter(), next: async () => 1 };
    const ids = encodeIds(async as unknown as IdGenerator<number>, { as: 'hex' });
    expectTypeOf(ids).not.toHaveProperty('nextSync');
    expect('nextSync' in ids).toBe(false);
  });

  it('has the counters of the generator, and none where it has none', () => {
    const counted = Object.assign(counter(), {
      issued: 7,
      counters() {
        return { issued: this.issued };
      },
    });
    const ids = encodeIds(counted as unknown as IdGenerator<number>, { as: 'hex' });
    expect(ids.counters?.()).toEqual({ issued: 7 });
    counted.issued = 8;
    expect(ids.counters?.()).toEqual({ issued: 8 });
    const { counters: _, ...uncounted } = counted;
    const none = encodeIds(uncounted as unknown as IdGenerator<number>, { as: 'hex' });
    expect(none.counters).toBeUndefined();
  });

  it('closes the generator that it took over', async () => {
    const inner = counter();
    const ids = encodeIds(inner, { as: 'hex' });
    expect(ids.health().status).toBe('ok');
    await ids.close();
    expect(inner.health().status).toBe('closed');
    await expect(ids.next()).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
  });

  it('closes it at the end of a block too', async () => {
    const inner = counter();
    {
      await using _ = encodeIds(inner, { as: 'hex' });
    }
    expect(inner.health().status).toBe('closed');
  });
});

describe('isMixedCase', () => {
  it('names the alphabet whose ids are the same where case is ignored', () => {
    expect((['decimal', 'hex', 'base62', 'crockford'] as const).filter(isMixedCase)).toEqual(['base62']);
  });
});

describe('text.caseSensitive', () => {
  const caseSensitive = (options: EncodeOptions, text = numberGuarantees.text) =>
    createCodec({ ...numberGuarantees, text }, options).guarantees.text.caseSensitive;

  it('is what the alphabet makes of it, whatever the case of the prefix', () => {
    const claims = (['decimal', 'hex', 'base62', 'crockford'] as const).map((as) => [
      as,
      caseSensitive({ as, prefix: 'Ord_' }),
    ]);
    expect(claims).toEqual([
      ['decimal', false],
      ['hex', false],
      ['base62', true],
      ['crockford', false],
    ]);
  });

  it('is what it was where ids keep their own text', () => {
    const claims = [undefined, false, true].map((claimed) =>
      caseSensitive(
        { prefix: 'n-' },
        { ...numberGuarantees.text, ...(claimed !== undefined && { caseSensitive: claimed }) },
      ),
    );
    expect(claims).toEqual([false, false, true]);
  });
});
