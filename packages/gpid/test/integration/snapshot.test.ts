import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gpid, parseGpidId, relationOf } from '../../src/index.js';
import { bundle } from '../support/bundle.js';

interface Report {
  readonly pid: number;
  readonly gpids: readonly [built: string, started: string];
  /**
   * Two of the process that built the snapshot, two of the generator in it, one of a
   * generator made afterwards.
   */
  readonly ids: readonly string[];
}

describe('processes that start from one V8 start-up snapshot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpid-snapshot-'));
  const blob = join(folder, 'snapshot.blob');
  beforeAll(() => {
    const script = join(folder, 'build.cjs');
    writeFileSync(
      script,
      `const { createGpidGenerator, thisProcess } = ${bundle()};
      const options = { port: 8888, address: '10.0.0.7' };
      const inside = createGpidGenerator(options);
      const [built, ids] = [String(thisProcess(options)), inside.nextBatchSync(2)];
      require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {
        ids.push(inside.nextSync(), inside.nextSync(), createGpidGenerator(options).nextSync());
        const gpids = [built, String(thisProcess(options))];
        console.log(JSON.stringify({ pid: process.pid, gpids, ids }));
      });`,
    );
    execFileSync(process.execPath, ['--snapshot-blob', blob, '--build-snapshot', script], { stdio: 'pipe' });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = (): Report =>
    JSON.parse(execFileSync(process.execPath, ['--snapshot-blob', blob], { encoding: 'utf8' }));

  it('have a gpid of their own, and a generator in the snapshot repeats no id', () => {
    const [first, second] = [start(), start()];
    const [built, one] = first.gpids.map((text) => Gpid.parse(text)) as [Gpid, Gpid];
    const another = Gpid.parse(second.gpids[1]);
    expect(second.gpids[0]).toBe(String(built));
    expect([one.pid, another.pid]).toEqual([first.pid, second.pid]);
    expect([relationOf(built, one), relationOf(one, another), relationOf(built, another)]).toEqual(
      new Array(3).fill('restarted'),
    );
    expect(new Set([...first.ids, ...second.ids.slice(2)]).size).toBe(8);
    for (const { ids, gpids } of [first, second]) {
      for (const id of ids.slice(2))
        expect(relationOf(parseGpidId(id).gpid, Gpid.parse(gpids[1]))).toBe('same');
    }
  });
});
