import { describe, expect, it } from 'vitest';
import { Gpid } from '../../src/index.js';
import { startChild } from '../support/children.js';
import { repeated } from '../support/contiguous-run.mjs';

const [PROCESSES, THREADS] = [8, 4];
const COUNT = process.env.IDS_FULL === '1' ? 1_000_000 : 10_000;
const script = new URL('../support/issue-ids.mjs', import.meta.url).pathname;

interface Report {
  readonly prefix: string;
  readonly count: number;
}

async function reports(): Promise<Report[]> {
  const child = startChild(process.execPath, [script, String(THREADS), String(COUNT)]);
  return JSON.parse(await child.line());
}

describe('message ids', () => {
  it(`come once each from ${PROCESSES} processes with ${THREADS} threads that give ${COUNT} with one address and port`, {
    timeout: 600_000,
  }, async () => {
    const all = (await Promise.all(Array.from({ length: PROCESSES }, reports))).flat();
    expect(all.map(({ count }) => count)).toEqual(new Array(PROCESSES * THREADS).fill(COUNT));
    const prefixes = all.map(({ prefix }) => prefix);
    expect(repeated(prefixes)).toEqual([]);
    const gpids = prefixes.map((prefix) => Gpid.parse(prefix.slice(0, -1)));
    expect(new Set(gpids.map(({ pid }) => pid)).size).toBe(PROCESSES);
  });
});
