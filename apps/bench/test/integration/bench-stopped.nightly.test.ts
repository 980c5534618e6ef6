import { describe, expect, it } from 'vitest';
import { alive, descendants } from '../support/processes.js';
import { PLANTED, REAL, RunningBench } from '../support/run-bench.js';

/**
 * Waits for the end of processes that nobody here can wait for otherwise; the test's own
 * time limit ends a vain wait.
 */
async function gone(pids: readonly number[]): Promise<void> {
  while (alive(pids).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('pnpm bench', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends every process on %s, and keeps what it has measured',
    async (signal) => {
      await using bench = await RunningBench.start(REAL, '--smoke', '--only', 'segment-redis-db');
      await bench.printed('open loops 1/1');
      const below = descendants(bench.child.pid ?? 0);
      bench.child.kill(signal);
      expect(await bench.exitCode()).toBe(130);
      expect(below.length).toBeGreaterThan(3);
      await gone(below);
      expect(await bench.leftovers()).toEqual([]);
      const { incomplete, problems, cases } = await bench.result();
      expect({ incomplete, problems }).toEqual({ incomplete: true, problems: [] });
      expect(cases.some(({ loops }) => loops !== undefined)).toBe(true);
      expect(cases[0]).toMatchObject({ status: 'unfinished' });
      expect(await bench.page()).toContain('The run was stopped');
      expect(bench.stdout).toContain('No recommendation: the run was stopped\n');
    },
  );

  it('ends the servers of "keyed" on Ctrl-C, and says so', async () => {
    await using bench = await RunningBench.start(REAL, 'keyed', '--smoke', '--only', 'segment-redis-db');
    await bench.printed('closed loops 1/1');
    const below = descendants(bench.child.pid ?? 0);
    bench.child.kill('SIGINT');
    expect(await bench.exitCode()).toBe(130);
    expect(below.length).toBeGreaterThan(2);
    await gone(below);
    expect(bench.stderr).toContain('stopping its processes and servers');
    expect(bench.stderr).toContain('all of its processes and servers have ended');
    expect(bench.stdout).toContain('The run was stopped');
    expect(await bench.leftovers()).toEqual([]);
  });

  it('leaves no worker and no temporary file when it is killed', async () => {
    await using bench = await RunningBench.start(PLANTED, '--quick', '--only', 'sound');
    await bench.printed('uniqueness');
    // The phase is printed before its first worker starts.
    let below: number[] = [];
    while (below.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      below = descendants(bench.child.pid ?? 0);
    }
    bench.child.kill('SIGKILL');
    await bench.exitCode();
    await gone(below);
    expect(await bench.leftovers()).toEqual([]);
  });
});
