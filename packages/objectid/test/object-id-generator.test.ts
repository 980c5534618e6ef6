import { createIds } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { createObjectIdGenerator, objectid, resetObjectIds } from '../src/index.js';
import { createObjectIdGenerator as createEither, objectid as either } from '../src/machine-pid/index.js';
import { parseObjectId } from '../src/tools/index.js';
import { firstNotRising } from './support/issuer-at.js';

const FEW = 500;

describe('generators of one process', () => {
  it('share a counter: ids by turns rise and leave none out', () => {
    const generators = [
      createObjectIdGenerator(),
      createObjectIdGenerator(),
      createObjectIdGenerator({ overflow: 'throw' }),
    ];
    const ids = Array.from({ length: FEW }, () => generators.map((generator) => generator.nextSync())).flat();
    ids.push(...generators.flatMap((generator) => generator.nextBatchSync(FEW)));
    expect(firstNotRising(ids)).toBe(-1);
    expect(new Set(ids.map((id) => parseObjectId(id).random)).size).toBe(1);
    const counters = ids.map((id) => parseObjectId(id).counter);
    expect(counters).toEqual(counters.map((_, index) => ((counters[0] ?? 0) + index) % 2 ** 24));
  });

  it('share it in the classic layout too, also under two machine names', () => {
    const generators = [
      createEither({ layout: 'machine-pid' }),
      createEither({ layout: 'machine-pid', machine: 'ab1025' }),
      createEither({ layout: 'machine-pid', machine: 'AB1025' }),
    ];
    const ids = Array.from({ length: FEW }, () => generators.map((generator) => generator.nextSync())).flat();
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids.map((id) => id.slice(18))).size).toBe(ids.length);
    expect(firstNotRising(ids.filter((id) => id.slice(8, 14) === 'ab1025'))).toBe(-1);
  });

  it('go on rising with a new random part after a reset', () => {
    const generator = createObjectIdGenerator();
    const parts = Array.from({ length: 5 }, () => {
      const ids = generator.nextBatchSync(3);
      resetObjectIds();
      return ids;
    });
    expect(firstNotRising(parts.flat())).toBe(-1);
    expect(new Set(parts.flat().map((id) => parseObjectId(id).random)).size).toBe(5);
  });
});

describe('an entry that knows both layouts', () => {
  it("issues ids of today's one from the counter of the other entry, with the same options", async () => {
    const options = { overflow: 'throw' } as const;
    expect(createEither(options).guarantees).toEqual(createObjectIdGenerator(options).guarantees);
    const [one, other] = [createObjectIdGenerator(), createEither()];
    const ids = [one.nextSync(), other.nextSync(), one.nextSync()];
    expect(firstNotRising(ids)).toBe(-1);
    expect(new Set(ids.map((id) => parseObjectId(id).random)).size).toBe(1);
  });

  it('issues ids of the classic one for a config too', async () => {
    const options = { layout: 'machine-pid', machine: 'ab1025' } as const;
    await using generator = await createIds([either]).create({ strategy: 'objectid', ...options });
    expect((await generator.next()).slice(8, 14)).toBe('ab1025');
  });
});

describe('the options', () => {
  it('have defaults in config files as in code', async () => {
    const ids = createIds([objectid]);
    await using generator = await ids.create({ strategy: 'objectid' });
    expect(generator.guarantees).toEqual(createObjectIdGenerator().guarantees);
    expect(firstNotRising([createObjectIdGenerator().nextSync(), generator.nextSync()])).toBe(-1);
  });

  it.each([objectid, either])('follow the Standard Schema', ({ options }) => {
    expect(options['~standard']).toMatchObject({ version: 1, vendor: '@ids/objectid' });
  });

  it('leave the rest of the guarantees as they are', () => {
    const all = {
      unique: 'cluster',
      order: { process: 'increasing', cluster: 'k-sorted', skewMs: 11_000 },
      gaps: 'on-restart',
      maxIdsLost: 0,
      sync: true,
      idType: 'string',
      text: {
        pattern: /^[0-9a-f]{24}$/,
        alphabet: '0123456789abcdef',
        minLength: 24,
        maxLength: 24,
        sortable: true,
        caseSensitive: false,
      },
      backends: [],
      discloses: ['time', 'volume'],
      maxIdsPerSecond: 16_777_216,
    };
    for (const create of [createObjectIdGenerator, createEither]) {
      expect(create().guarantees).toEqual(all);
      expect(create().strategy).toBe('objectid');
    }
    for (const strategy of [objectid, either]) {
      expect(createIds([strategy]).plan({ strategy: 'objectid' }).guarantees).toEqual(all);
    }
    const classic = createIds([either]).plan({ strategy: 'objectid', layout: 'machine-pid' });
    expect(classic.guarantees).toEqual({
      ...all,
      unique: 'process',
      discloses: ['time', 'volume', 'host', 'process'],
    });
  });

  it('change what is guaranteed', () => {
    const { guarantees } = createEither({ layout: 'machine-pid', overflow: 'throw' });
    expect(guarantees).toMatchObject({
      unique: 'process',
      order: { cluster: 'k-sorted', skewMs: 2_000 },
      discloses: ['time', 'volume', 'host', 'process'],
    });
    expect(createObjectIdGenerator().guarantees).toMatchObject({
      unique: 'cluster',
      order: { cluster: 'k-sorted', skewMs: 11_000 },
      discloses: ['time', 'volume'],
    });
  });

  it.each([
    [{ layout: 'classic' }, /option "layout": must be "random" or "machine-pid", got "classic"$/],
    [{ overflow: 'wait' }, /option "overflow": must be "borrow" or "throw", got "wait"$/],
    [
      { layout: 'machine-pid', machine: 'xab1025' },
      /option "machine": must be "hostname", "network" or 6 hex digits, got "xab1025"$/,
    ],
    [{ layout: 'machine-pid', machine: 'ab10255' }, /got "ab10255"$/],
    [{ layout: 'machine-pid', machine: ['ab1025'] }, /got an array$/],
    [{ overflow: null }, /option "overflow": must be "borrow" or "throw", got null/],
    [{ clock: 'turn' }, /unknown option "clock" \(known: layout, overflow, machine\)/],
    [
      { layout: 'machine-pid', machine: 'myhost' },
      /option "machine": must be "hostname", "network" or 6 hex digits, got "myhost"/,
    ],
    [{ layout: 'machine-pid', machine: 123456 }, /option "machine": must be .*6 hex digits, got 123456/],
    [
      { machine: 'ab1025' },
      /option "machine": only for layout "machine-pid": layout "random" contains no machine$/,
    ],
    [
      { layuot: 'random' },
      /unknown option "layuot" \(did you mean "layout"\? known: layout, overflow, machine\)/,
    ],
    [{ layout: 'classic', overflow: 1 }, /option "layout": .*\n.*option "overflow": /],
    [null, /^objectid: options must be an object, got null$/],
    [7, /^objectid: options must be an object, got 7$/],
  ])('refuse %j, naming option, value and what is accepted', (options, message) => {
    const create = () => createEither(options as object);
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG' }));
    expect(create).toThrow(message);
  });

  it("are refused alike where only today's layout is known", () => {
    const refused = (options: unknown, message: string) =>
      expect(() => createObjectIdGenerator(options as object)).toThrow(
        expect.objectContaining({ code: 'ERR_IDS_CONFIG', message }),
      );
    refused({ machine: 'ab1025' }, 'objectid: unknown option "machine" (known: layout, overflow)');
    refused(7, 'objectid: options must be an object, got 7');
  });

  it('name the entry that knows the classic layout, where it is asked of the one that does not', () => {
    const options = { strategy: 'objectid', layout: 'machine-pid' } as const;
    expect(() => createIds([objectid]).plan(options as object as { strategy: 'objectid' })).toThrow(
      'option "layout": must be "random", got "machine-pid"; "machine-pid" needs @ids/objectid/machine-pid',
    );
    expect(createIds([either]).plan(options).guarantees.unique).toBe('process');
  });
});
