import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gpid, resourceAttributes, thisProcess } from '../src/index.js';

/** The text of /etc/machine-id; undefined where there is none. */
let machineId: string | undefined;

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const readFileSync = (...[path, ...rest]: Parameters<typeof fs.readFileSync>) => {
    if (path !== '/etc/machine-id') return fs.readFileSync(path, ...rest);
    if (machineId === undefined) throw new Error('ENOENT');
    return machineId;
  };
  return { ...fs, readFileSync };
});

const ID = '0123456789abcdef0123456789abcdef';
const own = () => thisProcess({ port: 80, address: '10.0.0.7' });

describe.runIf(process.platform === 'linux')('the host that resourceAttributes names', () => {
  beforeEach(() => {
    machineId = `${ID}\n`;
  });
  afterEach(() => vi.restoreAllMocks());

  it('is this one, with its machine id, for a process of this machine', () => {
    expect(resourceAttributes(own())).toMatchObject({ 'host.name': hostname(), 'host.id': ID });
  });

  it.each([undefined, '', 'uninitialized\n', `${ID}0\n`, `x${ID}\n`])(
    'has no id where the machine id is %j',
    (text) => {
      machineId = text;
      const attributes = resourceAttributes(own());
      expect(attributes).toHaveProperty(['host.name'], hostname());
      expect(attributes).not.toHaveProperty(['host.id']);
    },
  );

  it('is left out for a process of another machine, or of one that is not known', () => {
    const elsewhere = Gpid.parse(String(own()).replace(/boot=[0-9a-f]+/, 'boot=0000000000000000'));
    for (const gpid of [elsewhere, Gpid.parse(own().fourTuple)]) {
      expect(resourceAttributes(gpid)).not.toHaveProperty(['host.name']);
      expect(resourceAttributes(gpid)).not.toHaveProperty(['host.id']);
    }
  });
});
