import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Random } from '../random.js';
import type { Owner, Scheduler } from './scheduler.js';

/** The wall-clock time at the beginning of a run: 2026-01-01T00:00:00Z. */
export const EPOCH_MS = Date.UTC(2026, 0, 1);

const require = createRequire(import.meta.url);
const timers = require('node:timers') as Record<string, unknown>;
const timersPromises = require('node:timers/promises') as Record<string, unknown>;
const nodeCrypto = require('node:crypto') as Record<string, unknown>;

interface Timer {
  cancelled: boolean;
  ref(): Timer;
  unref(): Timer;
  hasRef(): boolean;
  [Symbol.toPrimitive](): number;
}

/**
 * Replaces the timers, clocks and random numbers of the platform with virtual time and seeded numbers, so
 * that the code under test runs unchanged. Returns a function that undoes it. Only one simulation at a time
 * can run in a thread.
 */
export function installPlatform(scheduler: Scheduler, random: Random): () => void {
  const clock = {
    monotonic: () => scheduler.now * scheduler.current.clockRate,
    wall: () => Math.floor(EPOCH_MS + scheduler.now + scheduler.current.wallOffset),
  };
  const timer = timersOf(scheduler, random);
  const sleep = promisedTimer(timer);
  const RealDate = Date;
  class VirtualDate extends RealDate {
    constructor(...args: [] | [number]) {
      if (args.length === 0) super(clock.wall());
      else super(...args);
    }
    static override now = clock.wall;
  }
  const undo: (() => void)[] = [];
  const replace = (target: object, values: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(values)) {
      const before = Object.getOwnPropertyDescriptor(target, name);
      Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
      undo.push(() =>
        before === undefined
          ? Reflect.deleteProperty(target, name)
          : Object.defineProperty(target, name, before),
      );
    }
  };
  const uuid = () => {
    const d = random.hex(32);
    return `${d.slice(0, 8)}-${d.slice(8, 12)}-${d.slice(12, 16)}-${d.slice(16, 20)}-${d.slice(20)}`;
  };
  replace(globalThis, { ...timer, Date: VirtualDate });
  replace(timers, { ...timer });
  replace(timersPromises, { setTimeout: sleep, setImmediate: (value?: unknown) => sleep(0, value) });
  replace(performance, { now: clock.monotonic });
  replace(Math, { random: () => random.next() });
  replace(globalThis.crypto, { randomUUID: uuid });
  replace(nodeCrypto, { randomUUID: uuid });
  syncBuiltinESMExports();
  return () => {
    for (const step of undo.reverse()) step();
    syncBuiltinESMExports();
  };
}

type SetTimer = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => Timer;

function timersOf(scheduler: Scheduler, random: Random) {
  /**
   * When the last timer of each process and duration is due: Node.js keeps the order of timers with equal
   * durations.
   */
  const due = new WeakMap<Owner, Map<number, number>>();
  const start = (owner: Owner, at: number, run: () => void): Timer => {
    const event = scheduler.schedule(at, owner, run);
    const timer: Timer = Object.assign(event, {
      ref: () => timer,
      unref: () => timer,
      hasRef: () => true,
      [Symbol.toPrimitive]: () => event.sequence,
    });
    return timer;
  };
  const setTimer: SetTimer = (run, ms = 1, ...args) => {
    const owner = scheduler.current;
    // As Node.js treats an invalid duration.
    const duration = ms >= 1 && ms <= 2 ** 31 - 1 ? Math.trunc(ms) : 1;
    let at = scheduler.now + duration / owner.clockRate + random.next() * owner.timerLag;
    const ofOwner = due.get(owner) ?? new Map<number, number>();
    due.set(owner, ofOwner);
    at = Math.max(at, ofOwner.get(duration) ?? 0);
    ofOwner.set(duration, at);
    return start(owner, at, () => run(...args));
  };
  const clear = (timer: Timer | undefined) => {
    if (timer !== undefined && timer !== null) timer.cancelled = true;
  };
  return {
    setTimeout: setTimer,
    setInterval: (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const owner = scheduler.current;
      const next = (): Timer =>
        setTimer(() => {
          if (timer.cancelled || owner.dead) return;
          run(...args);
          next();
        }, ms);
      const timer = next();
      return timer;
    },
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) =>
      start(scheduler.current, scheduler.now, () => run(...args)),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
}

/** `setTimeout` of `node:timers/promises`. */
function promisedTimer({ setTimeout: set, clearTimeout: clear }: ReturnType<typeof timersOf>) {
  return (ms?: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const aborted = () => {
        clear(timer);
        reject(signal?.reason);
      };
      const timer = set(() => {
        signal?.removeEventListener('abort', aborted);
        resolve(value);
      }, ms);
      if (signal?.aborted) aborted();
      else signal?.addEventListener('abort', aborted, { once: true });
    });
}
