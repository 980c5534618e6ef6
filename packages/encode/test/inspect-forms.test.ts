import { assert as hold, property, string, uuid } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formProblem, inspectTypeid, inspectUlid } from '../src/index.js';
import { createTypeidCodec } from '../src/typeid.js';
import { createUlidCodec } from '../src/ulid.js';
import { MAX, NIL, VALID } from './support/typeid-vectors.js';

describe('inspectTypeid', () => {
  it('shows type, UUID and, of version 7, the time', () => {
    expect(inspectTypeid('prefix_01h455vb4pex5vsknk084sn02q')).toEqual([
      { name: 'type', value: 'prefix' },
      { name: 'uuid', value: '01890a5d-ac96-774b-bcce-b302099a8057', note: expect.stringMatching(/\b7$/) },
      { name: 'time', value: '2023-06-30T03:34:18.518Z' },
    ]);
    const random = createTypeidCodec('a').encode('9f9a4f4c-7c55-4c58-9d6f-0d2a4ef5a3a1');
    expect(inspectTypeid(random)?.map(({ name }) => name)).toEqual(['type', 'uuid']);
  });

  it.each([
    ['1', '1'],
    ['4', '4'],
    ['8', '8'],
    ['9', undefined],
    ['f', undefined],
  ])('names the version %s of a UUID: %s', (version, named) => {
    const text = createTypeidCodec('a').encode(`9f9a4f4c-7c55-${version}c58-9d6f-0d2a4ef5a3a1`);
    expect(/\d/.exec(inspectTypeid(text)?.[1]?.note ?? '')?.[0]).toBe(named);
  });

  it('shows what has no type, and UUIDs of no version', () => {
    const note = expect.stringMatching(/^\D+$/);
    expect(inspectTypeid('0'.repeat(26))).toEqual([{ name: 'uuid', value: NIL, note }]);
    expect(inspectTypeid(`7${'z'.repeat(25)}`)).toEqual([{ name: 'uuid', value: MAX, note }]);
  });

  it.each(VALID)('reads %s: %s', (_, text) => {
    expect(inspectTypeid(text)).toBeDefined();
    expect(formProblem(text)).toBeUndefined();
  });
});

describe('inspectUlid', () => {
  it('shows time and randomness', () => {
    expect(inspectUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toEqual([
      { name: 'time', value: '2016-07-30T23:54:10.259Z' },
      { name: 'random', value: '01ARZ3NDEKTSV4RRFFQ69G5FAV'.slice(-16), note: expect.stringContaining('80') },
      { name: 'uuid', value: '01563e3a-b5d3-d676-4c61-efb99302bd5b', note: expect.stringMatching(/^\D+$/) },
    ]);
    expect(inspectUlid(createUlidCodec().encode(MAX))?.[0]?.value).toBe('+010889-08-02T05:31:50.655Z');
  });

  it('reads upper case only, as ULIDs are written', () => {
    expect(inspectUlid('01arz3ndektsv4rrffq69g5fav')).toBeUndefined();
    expect(inspectUlid('01ARZ3NDEKTSV4RRFFQ69G5FAv')).toBeUndefined();
  });
});

describe('formProblem', () => {
  it('says nothing of a string that is read, and of one that is another kind of id', () => {
    hold(
      property(uuid(), (id) => {
        expect(formProblem(createUlidCodec().encode(id))).toBeUndefined();
        expect(formProblem(createTypeidCodec('order').encode(id))).toBeUndefined();
        expect(formProblem(id)).toBeUndefined();
      }),
    );
    const longer = '0'.repeat(28);
    for (const other of [
      '48001',
      '5A17B9D9AB102555B9C38874',
      'order_48001',
      '',
      '_',
      longer,
      `order_${longer}`,
    ]) {
      expect(formProblem(other)).toBeUndefined();
    }
  });

  it.each([
    ['_01h455vb4pex5vsknk084sn02q', '""'],
    ['order_01h455vb4pex5vsknk084sn02', '"01h455vb4pex5vsknk084sn02"'],
    ['8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '"8ZZZZZZZZZZZZZZZZZZZZZZZZZ"'],
    ['01ArZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ])('says what is wrong with %s: %s', (text, wrong) => {
    expect(formProblem(text)).toContain(wrong);
    expect([inspectTypeid(text), inspectUlid(text)]).toEqual([undefined, undefined]);
  });

  it('and the other functions never throw', () => {
    hold(
      property(string(), (text) => {
        expect([inspectTypeid(text), inspectUlid(text), formProblem(text)]).toHaveLength(3);
      }),
    );
  });
});
