import * as crypto from 'node:crypto';
import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeObjectId } from '../src/index.js';
import { type ClassicObjectIdOptions, createObjectIdGenerator } from '../src/machine-pid/index.js';
import { namesOfNetwork, startOfHash } from '../src/machine-pid/machine.js';
import { counterOf, firstNotRising } from './support/issuer-at.js';
import { type IssuingMember, startProcess, startThread } from './support/issuers.js';

const MEMBERS = 4;
const COUNT = 50_000;
const ROOM = 2 ** 24;

const layouts: ClassicObjectIdOptions[] = [{ layout: 'random' }, { layout: 'machine-pid' }];
const running: IssuingMember[] = [];

/** Starts all, waits until they are ready, then lets them issue at the same time. */
async function issueTogether(
  start: () => Promise<IssuingMember>,
  options: ClassicObjectIdOptions,
): Promise<(readonly string[])[]> {
  running.push(...(await Promise.all(Array.from({ length: MEMBERS }, start))));
  return Promise.all(running.map((member) => member.issue({ count: COUNT, options })));
}

function middlesOf(ids: Iterable<string>): Set<string> {
  return new Set(Array.from(ids, (id) => id.slice(8, 18)));
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((member) => member.end()));
});

// First, while this process has not created a generator of that layout.
describe('a worker thread that was started before the main thread used the classic layout', () => {
  it('is refused that layout, with what to do, and served the other', async () => {
    const thread = await startThread();
    running.push(thread);
    const main = createObjectIdGenerator({ layout: 'machine-pid' });
    await expect(thread.issue({ count: 1, options: { layout: 'machine-pid' } })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/main thread must create a generator of this layout before/),
    });
    expect(main.nextSync()).toHaveLength(24);
    expect(await thread.issue({ count: 100, options: {} })).toHaveLength(100);
  });
});

describe.each(layouts)(`ids of ${MEMBERS} worker threads and their parent, %j`, (options) => {
  it('never meet, and rise in each', async () => {
    const main = createObjectIdGenerator(options);
    const before = main.nextSync();
    const issued = [main.nextBatchSync(COUNT), ...(await issueTogether(startThread, options))];
    for (const ids of issued) expect(firstNotRising(ids)).toBe(-1);
    const all = new Set([before, ...issued.flat()]);
    expect(all.size).toBe(1 + COUNT * (MEMBERS + 1));
    if (options.layout === 'random') {
      expect(middlesOf(all).size).toBe(MEMBERS + 1);
    } else {
      // Counted together: with counters of their own, threads would meet by chance only, and far from here.
      expect(middlesOf(all).size).toBe(1);
      const distances = Array.from(all, (id) => (counterOf(id) - counterOf(before) + ROOM) % ROOM);
      expect(distances.reduce((a, b) => Math.max(a, b))).toBeLessThan(2 * all.size);
    }
  });
});

describe.each(layouts)(`ids of ${MEMBERS} child processes, %j`, (options) => {
  it('never meet, and rise in each', async () => {
    const issued = await issueTogether(startProcess, options);
    for (const ids of issued) expect(firstNotRising(ids)).toBe(-1);
    const all = new Set(issued.flat());
    expect(all.size).toBe(COUNT * MEMBERS);
    expect(middlesOf(all).size).toBe(MEMBERS);
  });
});

describe('the classic layout', () => {
  it('discloses host and process: the start of md5(hostname), and the low bits of the process id', () => {
    const id = createObjectIdGenerator({ layout: 'machine-pid' }).nextSync();
    expect(decodeObjectId(id, 'machine-pid')).toMatchObject({
      machine: crypto.createHash('md5').update(hostname()).digest('hex').slice(0, 6),
      processId: process.pid % 65_536,
    });
  });

  it('takes the machine from the network interfaces, or as it is given', () => {
    const machineOf = (machine: string) =>
      createObjectIdGenerator({ layout: 'machine-pid', machine }).nextSync().slice(8, 14);
    expect(machineOf('AB1025')).toBe('ab1025');
    expect(machineOf('network')).toMatch(/^[0-9a-f]{6}$/);
    expect(machineOf('network')).toBe(machineOf('network'));
  });

  it('tells networks apart by the names and hardware addresses of interfaces to the outside, in any order', () => {
    const card = { address: '10.0.0.7', netmask: '', family: 'IPv4', cidr: null } as const;
    const eth0 = { ...card, mac: '02:00:00:00:00:01', internal: false };
    const lo = { ...card, mac: '00:00:00:00:00:00', internal: true };
    const eth1 = { ...eth0, mac: '02:00:00:00:00:02' };
    const text = namesOfNetwork({ eth0: [eth0, { ...eth0, address: '10.0.0.8' }], eth1: [eth1], lo: [lo] });
    expect(text).toBe('eth0 02:00:00:00:00:01\neth1 02:00:00:00:00:02');
    expect(namesOfNetwork({ eth1: [eth1], eth0: [eth0] })).toBe(text);
    expect(namesOfNetwork({ lo: [lo] })).toBe('');
  });

  it('has random digits for a host with nothing to tell it by', () => {
    const machines = Array.from({ length: 8 }, () => startOfHash(''));
    for (const machine of machines) expect(machine).toMatch(/^[0-9a-f]{6}$/);
    expect(new Set(machines).size).toBeGreaterThan(4);
  });
});
