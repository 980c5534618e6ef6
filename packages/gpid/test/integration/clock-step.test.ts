import { describe, expect, it } from 'vitest';
import { Gpid, PeerTracker, relationOf } from '../../src/index.js';
import { type Child, scriptArguments, startChild } from '../support/children.js';

const options = JSON.stringify({ port: 8888, address: '10.0.0.7' });
const setBack = ['--import', new URL('../support/stepped-clock.mjs', import.meta.url).href];

async function started(before: readonly string[]): Promise<{ gpid: Gpid; ids: string[]; child: Child }> {
  const child = startChild(process.execPath, [
    ...before,
    ...scriptArguments(new URL('../support/one-report.ts', import.meta.url), [options]),
  ]);
  const { gpid, ids } = JSON.parse(await child.line());
  return { gpid: Gpid.parse(gpid), ids, child };
}

describe('a process that starts after the wall clock was set back', () => {
  it('has an earlier start time, is known for a restart, and repeats no id', async () => {
    const old = await started([]);
    await old.child.kill();
    const young = await started(setBack);
    await young.child.kill();
    expect(young.gpid.startTime).toBeLessThan(old.gpid.startTime);
    expect(relationOf(old.gpid, young.gpid)).toBe('restarted');
    const tracker = new PeerTracker();
    expect([old, young, young].map(({ gpid }) => tracker.observe(gpid).relation)).toEqual([
      'first',
      'restarted',
      'same',
    ]);
    expect(new Set([...old.ids, ...young.ids]).size).toBe(2_000);
  });
});
