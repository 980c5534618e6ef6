import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUuid7 } from '../src/index.js';
import { bundle } from './support/bundle.js';
import { firstNotRising, msOf } from './support/ids.js';

/** Runs in each process that starts from the snapshot, after what ran when it was built. */
const PROGRAM = `
  const { createUuid7Generator, uuid7At } = ${bundle('dist/node/index.js')};
  const [used, unused] = [createUuid7Generator(), createUuid7Generator()];
  const ids = [...used.nextBatchSync(3), used.nextSync(), used.nextSync()];
  uuid7At(new Date(0));
  require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {
    const started = Date.now();
    ids.push(used.nextSync(), unused.nextSync(), used.nextSync(), ...used.nextBatchSync(3));
    console.log(JSON.stringify({ ids, started, dated: uuid7At(new Date(0)) }));
  });
`;

interface Report {
  readonly ids: readonly string[];
  readonly started: number;
  readonly dated: string;
}

describe('processes that start from one V8 start-up snapshot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'uuid7-snapshot-'));
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

  it('give ids above those of the process that built it', () => {
    expect(first.ids.slice(0, 5)).toEqual(second.ids.slice(0, 5));
    for (const { ids } of [first, second]) expect(firstNotRising(ids)).toBe(-1);
  });

  it('draw random bits of their own, not those that were drawn when it was built', () => {
    const words = [first, second].flatMap(({ ids }) => ids.slice(5).map((id) => parseUuid7(id).random));
    // One that meets another by chance: once in 10^8 runs.
    expect(new Set(words).size).toBe(words.length);
    const starts = [first, second].map(({ ids }) => parseUuid7(ids[5] ?? '').counter);
    expect(starts[0]).not.toBe(starts[1]);
  });

  it('start the ids of a past date at a place of their own', () => {
    const [one, other] = [first, second].map(({ dated }) => parseUuid7(dated).counter);
    expect(one).not.toBe(other);
  });

  it('date them by their own clock, not by one that was read when it was built', () => {
    for (const { ids, started } of [first, second]) {
      for (const id of ids.slice(5)) expect(msOf(id)).toBeGreaterThanOrEqual(started);
    }
  });
});
