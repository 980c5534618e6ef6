import { describe, expect, it } from 'vitest';
import { describe as describeProcess, Gpid, isAlive, thisProcess } from '../../src/index.js';
import { startScript } from '../support/children.js';

const options = { port: 8888, address: '127.0.0.1' };
const own = thisProcess(options);
const changed = (part: RegExp, by: string) => Gpid.parse(String(own).replace(part, by));

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
    expect(isAlive(own)).toBe(true);
    expect(isAlive(changed(/ticks=\d+/, 'ticks=1'))).toBe(false);
    const { ip, port, pid, startTime } = own;
    expect(isAlive(Gpid.of({ ip, port, pid, startTime: startTime - 3_000_000n }))).toBe(false);
    expect(isAlive(Gpid.of({ ip, port, pid, startTime }))).toBe(true);
  });

  it('knows that nothing lives of the time before a reboot', () => {
    expect(isAlive(changed(/boot=[0-9a-f]+/, 'boot=0000000000000000'))).toBe(false);
  });

  it('does not judge processes of other machines and of other pid namespaces', () => {
    const elsewhere = Gpid.parse('203.0.113.1:80:1307761900123456:1');
    expect(isAlive(elsewhere)).toBeUndefined();
    expect(isAlive(changed(/pidns=\d+/, 'pidns=1'))).toBeUndefined();
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

  it('tells nothing of a process that is gone', () => {
    expect(describeProcess(changed(/ticks=\d+/, 'ticks=1'))).toBeUndefined();
    expect(describeProcess(Gpid.parse('203.0.113.1:80:1307761900123456:1'))).toBeUndefined();
  });
});
