import { createIds } from '@ids/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUuid7Generator, parseUuid7, resetUuid7s, uuid7, uuid7FromBytes } from '../src/index.js';
import { firstNotRising, msOf } from './support/ids.js';

describe('generators', () => {
  it('of one thread issue from one counter, whatever they issue', async () => {
    const [one, other] = [createUuid7Generator(), createUuid7Generator()];
    const bytes = createUuid7Generator({ as: 'bytes' });
    await using configured = await createIds([uuid7]).create({ strategy: 'uuid7' });
    const ids: string[] = [];
    for (let round = 0; round < 200; round++) {
      ids.push(one.nextSync(), other.nextSync(), uuid7FromBytes(bytes.nextSync()), configured.nextSync());
      ids.push(...one.nextBatchSync(3), ...bytes.nextBatchSync(2).map(uuid7FromBytes));
      ids.push(await other.next(), uuid7FromBytes(await bytes.next()));
      ids.push(...(await one.nextBatch(2)), ...(await bytes.nextBatch(2)).map(uuid7FromBytes));
    }
    expect(firstNotRising(ids)).toBe(-1);
  });

  it('give bytes that sort as the ids do', () => {
    const bytes = createUuid7Generator({ as: 'bytes' }).nextBatchSync(3_000);
    expect(bytes.findIndex((id, at) => at > 0 && Buffer.compare(bytes[at - 1] ?? id, id) >= 0)).toBe(-1);
    for (const id of bytes.slice(0, 10)) {
      expect(id).toBeInstanceOf(Uint8Array);
      expect(id).toHaveLength(16);
      expect(id.buffer.byteLength).toBe(16);
    }
  });

  it('give each id the time at which it was asked for', () => {
    const generator = createUuid7Generator();
    const bytes = createUuid7Generator({ as: 'bytes' });
    for (let round = 0; round < 500; round++) {
      const before = Date.now();
      const dated = [msOf(generator.nextSync()), parseUuid7(bytes.nextSync()).ms];
      const after = Date.now();
      for (const ms of dated) expect(ms >= before && ms <= after).toBe(true);
    }
  });

  it('refuse calls once they are closed, as every generator does', async () => {
    for (const generator of [createUuid7Generator(), createUuid7Generator({ as: 'bytes' })]) {
      await generator.close();
      expect(() => generator.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_CLOSED' }));
      expect(() => generator.nextBatchSync(1)).toThrow(expect.objectContaining({ code: 'ERR_IDS_CLOSED' }));
      expect(generator.health()).toEqual({ status: 'closed' });
    }
  });

  it('go on rising after a reset, from a new random start in the next millisecond', () => {
    const generator = createUuid7Generator();
    const parts = Array.from({ length: 5 }, () => {
      const ids = generator.nextBatchSync(3);
      resetUuid7s();
      return ids;
    });
    expect(firstNotRising(parts.flat())).toBe(-1);
    expect(new Set(parts.flat().map(msOf)).size).toBe(5);
  });
});

describe('generators on a clock that stands still until it is set', () => {
  const START = Date.UTC(2090, 0, 1);

  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }));
  afterEach(() => void vi.useRealTimers());

  it('give each id of one synchronous run the time at which it was asked for', () => {
    const bytes = createUuid7Generator({ as: 'bytes' });
    const generators = [createUuid7Generator(), { nextSync: () => uuid7FromBytes(bytes.nextSync()) }];
    for (const [index, generator] of generators.entries()) {
      // Each later than the other, whose ids do not hide what its own clock is.
      const now = START + (index + 1) * 60_000;
      const dated = [0, 1, 1, 7].map((after) => {
        vi.setSystemTime(now + after);
        return msOf(generator.nextSync()) - now;
      });
      expect(dated).toEqual([0, 1, 1, 7]);
    }
  });
});

describe('the options', () => {
  it('have defaults in config files as in code', async () => {
    await using generator = await createIds([uuid7]).create({ strategy: 'uuid7' });
    expect(generator.guarantees).toEqual(createUuid7Generator().guarantees);
    expect(generator.strategy).toBe('uuid7');
    expect(createUuid7Generator({ as: 'bytes' }).guarantees).toEqual(generator.guarantees);
    expect(createUuid7Generator({ as: 'bytes' }).strategy).toBe('uuid7');
  });

  it('change nothing that is guaranteed', () => {
    expect(createIds([uuid7]).plan({ strategy: 'uuid7' }).guarantees).toEqual({
      unique: 'cluster',
      order: { process: 'increasing', cluster: 'k-sorted', skewMs: 11 },
      gaps: 'on-restart',
      maxIdsLost: 0,
      sync: true,
      idType: 'string',
      text: {
        pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        alphabet: '-0123456789abcdef',
        minLength: 36,
        maxLength: 36,
        sortable: true,
        caseSensitive: false,
      },
      backends: [],
      discloses: ['time', 'volume'],
    });
  });

  it('follow the Standard Schema', () => {
    expect(uuid7.options['~standard']).toMatchObject({ version: 1, vendor: '@ids/uuid7' });
  });

  it.each([
    [{ clock: 'turn' }, 'uuid7: unknown option "clock" (known: as)'],
    [{ as: null }, 'uuid7: option "as": must be "string" or "bytes", got null'],
    [{ as: 'buffer' }, 'uuid7: option "as": must be "string" or "bytes", got "buffer"'],
    [{ As: 'bytes' }, 'uuid7: unknown option "As" (did you mean "as"? known: as)'],
    [
      { clock: 1, as: 2 },
      'uuid7: unknown option "clock" (known: as)\nuuid7: option "as": must be "string" or "bytes", got 2',
    ],
    [null, 'uuid7: options must be an object, got null'],
    [7, 'uuid7: options must be an object, got 7'],
  ])('refuse %j, naming option, value and what is accepted', (options, message) => {
    expect(() => createUuid7Generator(options as object)).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CONFIG', message }),
    );
  });

  it.each([{ as: 'bytes' }, { clock: 'turn' }])('of a config: there are none, not even %j', (options) => {
    const [name] = Object.keys(options);
    expect(() => createIds([uuid7]).plan({ strategy: 'uuid7', ...options })).toThrow(
      `unknown option "${name}" (known: none)`,
    );
  });
});
