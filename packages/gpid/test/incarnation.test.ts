import cluster from 'node:cluster';
import { readFileSync, statSync } from 'node:fs';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newIncarnation, thisProcess } from '../src/index.js';
import { threadState } from '../src/process/process-start.js';
import { ownEvidence } from '../src/process/this-process.js';

const evidenceOfNow = () => {
  newIncarnation();
  return thisProcess({ port: 8888, address: '10.0.0.7' }).evidence;
};

/** Node.js gives the object this property in a cluster worker only. */
function becomeWorker(id: number): void {
  Object.assign(cluster, { worker: { id } });
  onTestFinished(() => void Reflect.deleteProperty(cluster, 'worker'));
}

/** Field 22 of /proc/<pid>/stat, of a program whose name has no space in it. */
const startTicks = (pid: number | 'self') =>
  Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[19]);

describe.runIf(process.platform === 'linux')('the evidence that a process has of itself', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is what the kernel says of boot, start and pid namespace', () => {
    const { boot = 'none', ticks, pidns } = evidenceOfNow();
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    expect(bootId.replaceAll('-', '')).toMatch(new RegExp(`^${boot}[0-9a-f]{16}\n$`));
    expect(ticks).toBe(startTicks('self'));
    expect(pidns).toBe(statSync('/proc/self/ns/pid').ino);
  });

  it('has no part without a value', () => {
    newIncarnation();
    expect(Object.values(ownEvidence())).not.toContain(undefined);
  });

  it('is kept until a new incarnation is asked for', () => {
    expect(ownEvidence()).toBe(ownEvidence());
    expect(evidenceOfNow().run).not.toBe(evidenceOfNow().run);
  });

  it('says which worker of which primary a cluster worker is', () => {
    expect(evidenceOfNow()).not.toHaveProperty('worker');
    becomeWorker(3);
    expect(evidenceOfNow().worker).toBe(`3@${startTicks(process.ppid)}`);
  });

  it('names no worker whose primary cannot be seen', () => {
    becomeWorker(3);
    vi.spyOn(process, 'ppid', 'get').mockReturnValue(0);
    expect(evidenceOfNow()).not.toHaveProperty('worker');
  });
});

it('copies of this package of other releases find what a thread knows under a name that never changes', () => {
  const names = Object.getOwnPropertySymbols(globalThis).map((symbol) => Symbol.keyFor(symbol));
  threadState();
  expect(names).toContain('@ids/gpid thread state 1');
});
