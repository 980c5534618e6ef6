import { assert as hold, property, uuid } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodec } from '../src/index.js';
import { createTypeidCodec, parseTypeid } from '../src/typeid.js';
import { numberGuarantees } from './support/subject.js';
import { INVALID, MAX, NIL, VALID } from './support/typeid-vectors.js';

const anyUuids = {
  ...numberGuarantees,
  idType: 'string' as const,
  text: { pattern: /^.{36}$/, alphabet: '-0123456789abcdef', minLength: 36, maxLength: 36, sortable: true },
};

describe('createTypeidCodec', () => {
  it.each(VALID)('%s: %s is written and read as its specification says', (_, text, type, id) => {
    const { encode, decode } = createTypeidCodec(type);
    expect(encode(id)).toBe(text);
    expect(decode(text)).toBe(id);
  });

  it('writes what createCodec writes', () => {
    const { encode, decode } = createTypeidCodec('order');
    const whole = createCodec<string>(anyUuids, { form: 'typeid', prefix: 'order' });
    hold(
      property(uuid(), (id) => {
        expect(encode(id)).toBe(whole.encode(id));
        expect(decode(whole.encode(id))).toBe(id);
      }),
    );
  });

  it('reads TypeIDs of its type only', () => {
    const { decode } = createTypeidCodec('order');
    for (const other of ['user_', 'orders_', 'ord_er_', '']) {
      const text = `${other}01h455vb4pex5vsknk084sn02q`;
      expect(() => decode(text)).toThrow(SyntaxError);
      expect(() => decode(text)).toThrow(`"${other.slice(0, -1)}"`);
    }
    expect(() => createTypeidCodec().decode('order_01h455vb4pex5vsknk084sn02q')).toThrow('""');
  });

  it.each([
    NIL.slice(1),
    `${NIL}0`,
    `0${NIL}`,
    MAX.toUpperCase(),
    MAX.replaceAll('-', ''),
    [NIL],
    7,
    undefined,
  ])('does not write %s', (wrong) => {
    const { encode } = createTypeidCodec('order');
    expect(() => encode(wrong as string)).toThrow(TypeError);
  });

  it.each(['Order', 'order_', '_', 'a'.repeat(64), 'or der', 'a1', null, 7])(
    'refuses the type %j',
    (type) => {
      expect(() => createTypeidCodec(type as string)).toThrow(RangeError);
    },
  );
});

describe('parseTypeid', () => {
  it.each(VALID)('%s: returns the type and the UUID of %s', (_, text, type, uuid) => {
    expect(parseTypeid(text)).toEqual({ type: type ?? '', uuid });
  });

  it.each(INVALID)('%s: refuses %s for %j', (_, text, wrong) => {
    expect(() => parseTypeid(text)).toThrow(SyntaxError);
    expect(() => parseTypeid(text)).toThrow(`"${wrong}"`);
  });

  it('refuses what is no string', () => {
    expect(() => parseTypeid(7 as unknown as string)).toThrow(TypeError);
  });
});
