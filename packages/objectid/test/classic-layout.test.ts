import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { startupSnapshot } from 'node:v8';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createObjectIdGenerator } from '../src/machine-pid/index.js';
import { namesOfNetwork, processBuffer, startOfHash } from '../src/machine-pid/layout.js';
import { parseObjectId } from '../src/tools/index.js';

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  return { ...crypto, createHash: vi.fn(crypto.createHash) };
});

/** Under which worker threads, also those of other releases, inherit the counter. */
const SHARED_POSITION = '@ids/objectid/machine-pid/1';

describe('the classic layout', () => {
  it('discloses host and process: the start of md5(hostname), and the low bits of the process id', () => {
    const id = createObjectIdGenerator({ layout: 'machine-pid' }).nextSync();
    expect(parseObjectId(id, 'machine-pid')).toMatchObject({
      machine: createHash('md5').update(hostname()).digest('hex').slice(0, 6),
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

  it('is refused where this Node.js has no md5, unless the machine is given', () => {
    const cause = new Error('unsupported');
    vi.mocked(createHash).mockImplementationOnce(() => {
      throw cause;
    });
    expect(() => startOfHash('host')).toThrow(
      expect.objectContaining({
        code: 'ERR_IDS_CONFIG',
        message:
          'objectid: layout "machine-pid" needs md5, which this Node.js does not allow: set the option "machine" to 6 hex digits',
        cause,
      }),
    );
  });

  it('cannot be part of a start-up snapshot', () => {
    vi.spyOn(startupSnapshot, 'isBuildingSnapshot').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(() => createObjectIdGenerator({ layout: 'machine-pid' })).toThrow(
      'objectid: layout "machine-pid" cannot be used in a start-up snapshot, which would preserve the process id of its build',
    );
  });

  it('counts in a buffer that worker threads inherit, from a random place on', () => {
    setEnvironmentData(SHARED_POSITION);
    const first = processBuffer();
    expect(getEnvironmentData(SHARED_POSITION)).toBe(first);
    expect(processBuffer()).toBe(first);
    const starts = Array.from({ length: 16 }, () => {
      setEnvironmentData(SHARED_POSITION);
      return new BigUint64Array(processBuffer())[0];
    });
    expect(new Set(starts).size).toBeGreaterThan(8);
    setEnvironmentData(SHARED_POSITION, first as unknown as NodeJS.Dict<string>);
  });

  it('shares its issuers with other copies of this package, under a name that never changes', () => {
    createObjectIdGenerator({ layout: 'machine-pid', machine: '0a0b0c' });
    const issuers: unknown = Reflect.get(globalThis, Symbol.for('@ids/objectid/machine-pid issuers 1'));
    expect(issuers instanceof Map && issuers.has('0a0b0c')).toBe(true);
  });
});
