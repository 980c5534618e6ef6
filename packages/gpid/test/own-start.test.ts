import { uptime } from 'node:os';
import { getEnvironmentData } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readProcStat, TICK_MS } from '../src/process/proc.js';
import { processStart, sinceBootMs, threadState } from '../src/process/process-start.js';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: vi.fn(),
}));

const HOUR = 3_600_000;
const { timeOrigin } = performance;
// These clocks stand still, so that a pause between two readings of them shows nowhere.
const [sinceOrigin, monotonic] = [performance.now(), process.hrtime.bigint()];
const now = () => sinceOrigin;
const monotonicMs = () => Number(monotonic) / 1e6;

/**
 * Puts the time origin `later` milliseconds after the true one, as in a process that comes
 * from a start-up snapshot.
 */
function moveOrigin(later: number): void {
  Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin + later, configurable: true });
  vi.spyOn(performance, 'now').mockImplementation(() => now() - later);
}

/** The start in milliseconds since the epoch, from what the kernel and the clocks say at this moment. */
function expectedStart(): number {
  const { startTicks = Number.NaN } = readProcStat('self') ?? {};
  return timeOrigin + now() - (monotonicMs() - startTicks * TICK_MS);
}

const startMs = () => Number(processStart().startTime) / 1_000;

beforeEach(() => {
  vi.mocked(uptime).mockImplementation(() => monotonicMs() / 1_000);
  vi.spyOn(process.hrtime, 'bigint').mockReturnValue(monotonic);
});
afterEach(() => {
  Reflect.deleteProperty(performance, 'timeOrigin');
  vi.restoreAllMocks();
});

describe.runIf(process.platform === 'linux')('the start of this process', () => {
  it('does not depend on when Node.js took its time origin', () => {
    for (const later of [10_000, 20_000]) {
      moveOrigin(later);
      expect(processStart().origin).toBe(timeOrigin + later);
      // Two ticks: the kernel cuts to whole ones, and so does the age of the time origin.
      expect(Math.abs(startMs() - expectedStart())).toBeLessThan(2 * TICK_MS);
    }
  });

  it('is worked out once, whatever the clocks say afterwards', () => {
    moveOrigin(40_000);
    const known = processStart();
    vi.spyOn(process.hrtime, 'bigint').mockReturnValue(0n);
    expect(processStart()).toEqual(known);
  });

  it('is taken over from the thread that started this one, under a name that never changes', () => {
    moveOrigin(50_000);
    const known = processStart();
    expect(getEnvironmentData('@ids/gpid process start 1')).toEqual(known);
    delete threadState().start;
    vi.spyOn(process.hrtime, 'bigint').mockReturnValue(0n);
    expect(processStart()).toEqual(known);
  });

  it('lies as much earlier as the machine was suspended', () => {
    vi.mocked(uptime).mockImplementation(() => (monotonicMs() + HOUR) / 1_000);
    moveOrigin(30_000);
    expect(Math.abs(startMs() - (expectedStart() - HOUR))).toBeLessThan(2 * TICK_MS);
  });
});

describe('the time since the boot', () => {
  it('goes on while the machine is suspended', () => {
    vi.mocked(uptime).mockImplementation(() => (monotonicMs() + HOUR) / 1_000);
    expect(sinceBootMs()).toBeCloseTo(monotonicMs() + HOUR, 3);
  });

  it.each([-990, 990])('takes %d ms between its clocks for inaccuracy', (ms) => {
    vi.mocked(uptime).mockImplementation(() => (monotonicMs() + ms) / 1_000);
    expect(sinceBootMs()).toBe(monotonicMs());
  });
});
