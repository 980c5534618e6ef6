import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from 'simple-statistics';
import type { ProbeCase } from './probe.js';

interface HeapCase {
  readonly name: string;
  /** How many are kept: enough to make other allocations of the process negligible. */
  readonly things: number;
  /** Makes one thing; only what it returns is kept. */
  open(): Promise<() => unknown>;
}

/** How much heap each kept thing keeps alive. Figure: `bytes`, rounded. */
export function heapProbe({ name, things, open }: HeapCase): ProbeCase {
  return {
    name,
    backends: [],
    exact: true,
    async open() {
      const make = await open();
      return {
        async measure() {
          const kept = new Array<unknown>(things).fill(null);
          const fill = () => {
            for (let i = 0; i < things; i++) kept[i] = make();
          };
          // Fill twice before measuring: engines leave room in the first objects of a class, and compile
          // code.
          fill();
          fill();
          const bytesEach = () => {
            kept.fill(null);
            const before = usedHeap();
            fill();
            return (usedHeap() - before) / things;
          };
          // The larger one: memory that the process frees meanwhile makes the figure too small.
          return { bytes: Math.round(Math.max(bytesEach(), bytesEach())) };
        },
      };
    },
  };
}

function usedHeap(): number {
  if (globalThis.gc === undefined) throw new Error('workers run with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const PROCESSES = 5;

/** A small module without imports, loaded first, so that the loader itself is not measured. */
const SMALL = new URL('../claim.js', import.meta.url).href;

const PROGRAM = `
await import(process.argv[2]);
const before = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
`;

/** The cost of importing `url` in a fresh process. Figure: `ms`, milliseconds of processor time. */
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
    }),
  };
}

async function importMs(url: string): Promise<number> {
  const args = ['--input-type=module', '--eval', PROGRAM, url, SMALL];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Math.round(100 * Number(stdout)) / 100;
}
