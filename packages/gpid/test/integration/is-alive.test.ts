import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { describe as describeProcess, Gpid, isAlive, thisProcess } from '../../src/index.js';
import { hasProcess, readProcStat } from '../../src/process/proc.js';
import { startScript } from '../support/children.js';

const options = { port: 8888, address: '127.0.0.1' };
const own = () => thisProcess(options);
const changed = (part: RegExp, by: string) => Gpid.parse(String(own()).replace(part, by));

/** Ends with the test. */
function started(command: string, args: readonly string[]) {
  const child = spawn(command, args);
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    pid: child.pid ?? expect.unreachable(`${command} did not start`),
  };
}

/** Waits until /proc/<pid>/stat has this in it. */
async function until(pid: number, said: RegExp): Promise<void> {
  while (!said.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) await new Promise(setImmediate);
}

/** Of any process here, by what the kernel says of its start. */
function gpidOf(pid: number): Gpid {
  const { boot = '' } = own().evidence;
  const ticks = readProcStat(pid)?.startTicks ?? Number.NaN;
  return Gpid.of({
    ...options,
    ip: options.address,
    startTime: 0n,
    pid,
    evidence: { boot, ticks },
  });
}

describe.runIf(process.platform === 'linux')('isAlive', () => {
  it('knows a process for as long as it lives', async () => {
    const child = startScript(new URL('../support/one-report.ts', import.meta.url), [
      JSON.stringify(options),
    ]);
    const gpid = Gpid.parse(JSON.parse(await child.line()).gpid);
    const bare = Gpid.parse(gpid.fourTuple);
    expect([isAlive(gpid), isAlive(bare)]).toEqual([true, true]);
    await child.kill();
    expect([isAlive(gpid), isAlive(bare)]).toEqual([false, false]);
  });

  it('does not take a process with a recycled pid for the old one', () => {
    expect(isAlive(own())).toBe(true);
    expect(isAlive(changed(/ticks=\d+/, 'ticks=1'))).toBe(false);
    const { ip, port, pid, startTime } = own();
    const isAliveSince = (apart: bigint) => isAlive(Gpid.of({ ip, port, pid, startTime: startTime + apart }));
    expect([-1_900_000n, 0n, 1_900_000n].map(isAliveSince)).toEqual([true, true, true]);
    expect([-2_100_000n, 2_100_000n].map(isAliveSince)).toEqual([false, false]);
  });

  it('takes a process that has ended and is not waited for as gone', async () => {
    // The shell starts one that reads on until its input ends, then becomes a program that waits for none.
    const parent = started('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 600']);
    const pid = Number((await once(parent.stdout, 'data'))[0]);
    const ended = gpidOf(pid);
    await until(parent.pid, /\(sleep\)/);
    parent.stdin.end();
    await until(pid, / Z /);
    expect([isAlive(ended), isAlive(gpidOf(parent.pid))]).toEqual([false, true]);
    expect(describeProcess(ended)).toBeUndefined();
  });

  it('knows a process that may not be signalled, and one that is not', () => {
    expect([hasProcess(process.pid), hasProcess(4_194_304)]).toEqual([true, false]);
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(hasProcess(process.pid)).toBe(true);
  });

  it('knows that nothing lives of the time before a reboot', () => {
    expect(isAlive(changed(/boot=[0-9a-f]+/, 'boot=0000000000000000'))).toBe(false);
  });

  it('does not judge processes of other machines and of other pid namespaces', () => {
    const elsewhere = Gpid.parse('203.0.113.1:80:1307761900123456:1');
    expect(isAlive(elsewhere)).toBeUndefined();
    expect(isAlive(changed(/pidns=\d+/, 'pidns=1'))).toBeUndefined();
    expect(
      isAlive(changed(/^127\.0\.0\.1(.*)boot=[0-9a-f]+/, '203.0.113.1$1boot=0000000000000000')),
    ).toBeUndefined();
  });

  it('needs no pid namespace in the evidence, and no address of this machine beside its boot', () => {
    expect(isAlive(changed(/;pidns=\d+/, ''))).toBe(true);
    expect(isAlive(changed(/^127\.0\.0\.1/, '203.0.113.1'))).toBe(true);
  });
});

describe.runIf(process.platform === 'linux')('describe', () => {
  it('tells command line, memory and CPU time of a live process', async () => {
    await using child = startScript(new URL('../support/one-report.ts', import.meta.url), [
      JSON.stringify(options),
    ]);
    const description = describeProcess(Gpid.parse(JSON.parse(await child.line()).gpid));
    expect(description?.commandLine.at(0)).toBe(process.execPath);
    expect(description?.commandLine.at(-1)).toBe(JSON.stringify(options));
    expect(description?.residentBytes).toBeGreaterThan(10_000_000);
    expect(description?.cpu.userSeconds).toBeGreaterThan(0);
  });

  it('tells each argument as it was given', async () => {
    const args = ['-e', 'console.log("runs"); setInterval(() => {}, 1e9)', 'Grüße 排队', '', 'a b'];
    const child = started(process.execPath, args);
    // The kernel shows no arguments of a process that it is still starting.
    await once(child.stdout, 'data');
    expect(describeProcess(gpidOf(child.pid))?.commandLine).toEqual([process.execPath, ...args]);
  });

  it('tells nothing of a process that is gone', () => {
    expect(describeProcess(changed(/ticks=\d+/, 'ticks=1'))).toBeUndefined();
    expect(describeProcess(Gpid.parse('203.0.113.1:80:1307761900123456:1'))).toBeUndefined();
  });
});
