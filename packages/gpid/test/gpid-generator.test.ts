import { startupSnapshot } from 'node:v8';
import { isMainThread, threadId } from 'node:worker_threads';
import { createIds, type SyncIdGenerator } from '@ids/core';
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import { sequenceIssuer } from '../src/id.js';
import {
  compareGpidIds,
  createGpidGenerator,
  type GpidOptions,
  gpid,
  newIncarnation,
  parseGpidId,
  relationOf,
  thisProcess,
} from '../src/index.js';

const address = '10.0.0.7';

/** The tests hold in the main thread and in any other. */
const thread = isMainThread ? '' : `;thread=${threadId}`;

/** Each test has a port, and so a sequence, of its own. */
function prefixOf(options: GpidOptions): string {
  const { fourTuple, evidence } = thisProcess(options);
  return `${fourTuple}${thread};run=${evidence.run}/`;
}

describe('createGpidGenerator', () => {
  it('gives the gpid of this process with a number from 1', () => {
    const options = { port: 1, address };
    const generator = createGpidGenerator(options);
    expectTypeOf(generator).toEqualTypeOf<SyncIdGenerator<string>>();
    const prefix = prefixOf(options);
    expect([generator.nextSync(), ...generator.nextBatchSync(3), generator.nextSync()]).toEqual(
      [1, 2, 3, 4, 5].map((sequence) => `${prefix}${sequence}`),
    );
    const { gpid, sequence } = parseGpidId(generator.nextSync());
    expect(sequence).toBe(6);
    expect(relationOf(gpid, thisProcess(options))).toBe('same');
  });

  it('shares one sequence among the generators of a gpid, leaving no number out', () => {
    const [first, second] = [
      createGpidGenerator({ port: 2, address }),
      createGpidGenerator({ port: 2, address }),
    ];
    const ids = [first.nextSync(), second.nextSync(), ...first.nextBatchSync(2), second.nextSync()];
    expect(ids.map((id) => parseGpidId(id).sequence)).toEqual([1, 2, 3, 4, 5]);
  });

  it('goes on with the sequence after a generator was closed', async () => {
    const options = { port: 3, address };
    const first = createGpidGenerator(options);
    first.nextBatchSync(10);
    await first.close();
    expect(createGpidGenerator(options).nextSync()).toBe(`${prefixOf(options)}11`);
  });

  it('shares the sequence with other spellings of an address, and with no other port', () => {
    createGpidGenerator({ port: 4, address: 'FD00:0::7' }).nextSync();
    expect(parseGpidId(createGpidGenerator({ port: 4, address: 'fd00::7' }).nextSync()).sequence).toBe(2);
    expect(parseGpidId(createGpidGenerator({ port: 5, address: 'fd00::7' }).nextSync()).sequence).toBe(1);
  });

  it('shares the sequence with another copy of this package in the same thread', async () => {
    vi.resetModules();
    const copy = await import('../src/index.js');
    expect(copy.createGpidGenerator).not.toBe(createGpidGenerator);
    const options = { port: 6, address };
    expect(createGpidGenerator(options).nextSync()).toBe(`${prefixOf(options)}1`);
    expect(copy.createGpidGenerator(options).nextSync()).toBe(`${prefixOf(options)}2`);
  });

  it('gives ids of a new incarnation once that is asked for, and no number twice', () => {
    const options = { port: 10, address };
    const [first, second] = [createGpidGenerator(options), createGpidGenerator(options)];
    const [before, old] = [first.nextSync(), thisProcess(options)];
    newIncarnation();
    const after = [first.nextSync(), second.nextSync(), createGpidGenerator(options).nextSync()];
    expect(after).toEqual([2, 3, 4].map((sequence) => `${prefixOf(options)}${sequence}`));
    expect(parseGpidId(before).gpid.evidence.run).toBe(old.evidence.run);
    expect(relationOf(old, thisProcess(options))).toBe('restarted');
    expect(compareGpidIds(before, after[0] ?? '')).toBeLessThan(0);
  });

  it('gives ids of the process that starts from a snapshot which it was made for', () => {
    const callbacks: (() => void)[] = [];
    vi.spyOn(startupSnapshot, 'isBuildingSnapshot').mockReturnValue(true);
    vi.spyOn(startupSnapshot, 'addDeserializeCallback').mockImplementation((callback) => {
      callbacks.push(callback as () => void);
    });
    onTestFinished(() => {
      vi.restoreAllMocks();
      Reflect.deleteProperty(performance, 'timeOrigin');
    });
    const options = { port: 11, address };
    const generator = createGpidGenerator(options);
    expect(generator.nextSync()).toBe(`${prefixOf(options)}1`);
    const timeOrigin = performance.timeOrigin + 86_400_000;
    Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin, configurable: true });
    for (const callback of callbacks) callback();
    expect(generator.nextSync()).toBe(`${prefixOf(options)}1`);
  });

  it.each([0, 65_535])('takes port %d', (port) => {
    const options = { port, address };
    expect(createGpidGenerator(options).nextSync()).toBe(`${prefixOf(options)}1`);
  });

  it('can be chosen by a config', async () => {
    const options = { port: 7, address };
    await using generator = await createIds([gpid]).create({ strategy: 'gpid', ...options });
    expect(await generator.next()).toBe(`${prefixOf(options)}1`);
  });

  it.each([
    [
      {},
      'gpid: option "port": must be a whole number from 0 to 65535, 0 for no listening port, got undefined',
    ],
    [
      { port: '80' },
      'gpid: option "port": must be a whole number from 0 to 65535, 0 for no listening port, got "80"',
    ],
    [
      { port: -1 },
      'gpid: option "port": must be a whole number from 0 to 65535, 0 for no listening port, got -1',
    ],
    [
      { port: 1.5 },
      'gpid: option "port": must be a whole number from 0 to 65535, 0 for no listening port, got 1.5',
    ],
    [
      { port: 65_536 },
      'gpid: option "port": must be a whole number from 0 to 65535, 0 for no listening port, got 65536',
    ],
    [
      { port: 80, address: 'db.internal' },
      'gpid: option "address": must be an IP address of this machine, such as 10.0.0.7 or fd00::7, without a zone, not 0.0.0.0 or ::, got "db.internal"',
    ],
    [
      { port: 80, address: '0:0::0' },
      'gpid: option "address": must be an IP address of this machine, such as 10.0.0.7 or fd00::7, without a zone, not 0.0.0.0 or ::, got "0:0::0"',
    ],
    [
      { port: 80, address: '0.0.0.0' },
      'gpid: option "address": must be an IP address of this machine, such as 10.0.0.7 or fd00::7, without a zone, not 0.0.0.0 or ::, got "0.0.0.0"',
    ],
    [
      { port: 80, address: ['10.0.0.7'] },
      'gpid: option "address": must be an IP address of this machine, such as 10.0.0.7 or fd00::7, without a zone, not 0.0.0.0 or ::, got an array',
    ],
    [
      { port: 80, adress: address },
      'gpid: unknown option "adress" (did you mean "address"? known: port, address)',
    ],
    [undefined, 'gpid: options must be an object, got undefined'],
  ])('refuses %j', (options, message) => {
    const create = () => createGpidGenerator(options as GpidOptions);
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG', message }));
    expect(() => thisProcess(options as GpidOptions)).toThrow(expect.objectContaining({ message }));
  });
});

describe('the guarantees', () => {
  it('promise uniqueness in the cluster, but for an address that every machine has', () => {
    expect(gpid.guarantees({ port: 80 }).unique).toBe('cluster');
    expect(createGpidGenerator({ port: 9, address }).guarantees.unique).toBe('cluster');
    for (const loopback of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      expect(createGpidGenerator({ port: 9, address: loopback }).guarantees.unique).toBe('process');
    }
    for (const other of ['10.127.0.1', 'fd00::1', '::1:2']) {
      expect(createGpidGenerator({ port: 9, address: other }).guarantees.unique).toBe('cluster');
    }
  });

  it('are the same with all options otherwise', () => {
    expect(createGpidGenerator({ port: 9, address }).guarantees).toEqual({
      unique: 'cluster',
      order: { process: 'increasing', cluster: 'none' },
      gaps: 'on-restart',
      maxIdsLost: 0,
      sync: true,
      idType: 'string',
      text: {
        pattern: expect.any(RegExp),
        alphabet: '0123456789abcdefhnrtu.:;=/[]',
        minLength: 34,
        maxLength: 139,
        sortable: false,
        caseSensitive: false,
      },
      backends: [],
      discloses: ['time', 'volume', 'address', 'process'],
    });
  });

  it('hold for a whole text only', () => {
    const { pattern } = gpid.guarantees({ port: 80 }).text;
    const id = createGpidGenerator({ port: 9, address }).nextSync();
    expect([id, `x${id}`, `${id}x`].map((text) => pattern.test(text))).toEqual([true, false, false]);
  });
});

describe('the end of a sequence', () => {
  const nearEnd = () => sequenceIssuer({ sequence: { prefix: 'p/', last: Number.MAX_SAFE_INTEGER - 3 } });
  const exhausted = expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED', retryable: false });

  it('is 2^53 - 1, exact to the last id', () => {
    const { issue, issueBatch } = nearEnd();
    expect([issue(), ...issueBatch(2)]).toEqual([
      'p/9007199254740989',
      'p/9007199254740990',
      'p/9007199254740991',
    ]);
    expect(issue).toThrow(exhausted);
    expect(() => issueBatch(1)).toThrow(exhausted);
    expect(issue).toThrow('the ids with prefix p/ end at 9007199254740991');
    expect(issueBatch(0)).toEqual([]);
  });

  it('takes no id for a batch that does not fit', () => {
    const { issue, issueBatch } = nearEnd();
    expect(() => issueBatch(4)).toThrow(exhausted);
    expect(issue()).toBe('p/9007199254740989');
  });
});
