import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from './support/bundle.js';
import { firstNotRising } from './support/issuer-at.js';

/** Runs in each process that starts from the snapshot, after what ran when it was built. */
const PROGRAM = `
  const { createObjectIdGenerator, objectIdAt, ObjectId } = ${bundle('dist/node/index.js', 'dist/node/bson/index.js')};
  const { createObjectIdGenerator: createClassic } = ${bundle('dist/node/machine-pid/index.js')};
  const [used, unused] = [createObjectIdGenerator(), createObjectIdGenerator()];
  const ids = [...used.nextBatchSync(3), used.nextSync(), used.nextSync()];
  objectIdAt(new Date(0));
  let refused;
  try { createClassic({ layout: 'machine-pid' }); } catch (error) { refused = error.message; }
  require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {
    const started = Math.floor(Date.now() / 1000);
    ids.push(used.nextSync(), unused.nextSync(), new ObjectId().toHexString(), used.nextSync());
    const classic = createClassic({ layout: 'machine-pid' });
    const dated = objectIdAt(new Date(0));
    console.log(JSON.stringify({ ids, started, refused, pid: process.pid, dated, classic: classic.nextBatchSync(2) }));
  });
`;

interface Report {
  readonly ids: readonly string[];
  readonly started: number;
  readonly refused: string;
  readonly pid: number;
  readonly dated: string;
  readonly classic: readonly string[];
}

describe('processes that start from one V8 start-up snapshot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'objectid-snapshot-'));
  const blob = join(folder, 'snapshot.blob');
  let first: Report;
  let second: Report;
  beforeAll(() => {
    const script = join(folder, 'build.cjs');
    writeFileSync(script, PROGRAM);
    execFileSync(process.execPath, ['--snapshot-blob', blob, '--build-snapshot', script], { stdio: 'pipe' });
    const start = (): Report =>
      JSON.parse(execFileSync(process.execPath, ['--snapshot-blob', blob], { encoding: 'utf8' }));
    [first, second] = [start(), start()];
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('start the ids of a past date at a place of their own', () => {
    expect(first.dated.slice(8, 18)).not.toBe(second.dated.slice(8, 18));
  });

  it('give ids of their own, above those of the process that built it', () => {
    expect(first.ids.slice(0, 5)).toEqual(second.ids.slice(0, 5));
    for (const { ids } of [first, second]) expect(firstNotRising(ids)).toBe(-1);
    const randomParts = [first.ids[0], first.ids[5], second.ids[5]].map((id) => id?.slice(8, 18));
    expect(new Set(randomParts).size).toBe(3);
  });

  it('date them by their own clock, not by one that was read when it was built', () => {
    for (const { ids, started } of [first, second]) {
      const seconds = ids.slice(5).map((id) => Number.parseInt(id.slice(0, 8), 16));
      for (const second of seconds) expect(second).toBeGreaterThanOrEqual(started);
    }
  });

  it('have the classic layout with their own process ids', () => {
    for (const { pid, classic } of [first, second]) {
      expect(firstNotRising(classic)).toBe(-1);
      for (const id of classic) expect(Number.parseInt(id.slice(14, 18), 16)).toBe(pid & 0xffff);
    }
    expect(first.classic[0]?.slice(18)).not.toBe(second.classic[0]?.slice(18));
  });

  it('cannot have a generator of the classic layout in it, which would keep the process id of the build', () => {
    expect(first.refused).toContain('cannot be used in a start-up snapshot');
  });
});
