import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from 'simple-statistics';
import type { ProbeCase } from '../claim.js';

const PROCESSES = 5;

/**
 * A module of types only, and so an empty file: loaded first, so that the loader itself
 * is not what is measured.
 */
const EMPTY = new URL('../claim.js', import.meta.url).href;

const PROGRAM = `
await import(process.argv[2]);
const before = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
`;

/** What it costs to import `url` in a fresh process. Figure: `ms`, milliseconds of processor time. */
export function importProbe(name: string, url: () => string): ProbeCase {
  return {
    name,
    backends: [],
    open: async () => ({
      async measure() {
        const samples: number[] = [];
        for (let i = 0; i < PROCESSES; i++) samples.push(await importMs(url()));
        return { ms: median(samples) };
      },
      close: async () => {},
    }),
  };
}

async function importMs(url: string): Promise<number> {
  const args = ['--input-type=module', '--eval', PROGRAM, url, EMPTY];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Math.round(100 * Number(stdout)) / 100;
}
