import { MemoryKeyedSource } from '@ids/keyed';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { Access } from '../src/access.js';
import { issue } from '../src/issue.js';
import { limitsOf } from '../src/limits.js';
import { Tallies } from '../src/tally.js';
import { openMemoryFamily } from './support/memory-family.js';

afterEach(() => void vi.useRealTimers());

const forever = {
  visitor: await new Access(undefined).visitor(undefined),
  limits: limitsOf(),
  life: { signal: new AbortController().signal },
};

/** A generator that has ten ids in memory. */
async function openSegments() {
  const source = new MemorySegmentSource({ order: {} });
  const generator = await createSegmentInprocGenerator({ name: 'order', source, minStep: 10, maxStep: 10 });
  onTestFinished(() => generator.close());
  await generator.ready();
  const context = { ...forever, generators: { order: { generator, realm: 'r1' } }, tallies: new Tallies() };
  const idsOf = async (...counts: number[]) => {
    const calls = counts.map((count) => ({ generator: 'order', count }));
    const { results } = await issue({ calls }, context);
    return results.map((result) => ('ids' in result ? result.ids.map(Number) : []));
  };
  return { generator, idsOf };
}

it('waits for the ids of a call for more than are in memory, which is no failure', async () => {
  const { generator, idsOf } = await openSegments();
  expect(await idsOf(15)).toEqual([Array.from({ length: 15 }, (_, index) => index + 1)]);
  expect(generator.counters()).toMatchObject({ notReady: 0 });
});

it('keeps calls of one generator in order, also if a later one could be served from memory', async () => {
  const { idsOf } = await openSegments();
  const [first = [], second = []] = await idsOf(15, 1);
  expect([first.length, second.length]).toEqual([15, 1]);
  expect(second[0]).toBeGreaterThan(Math.max(...first));
});

it('gives up a call that is later than others by more than the request allows, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const source = new MemoryKeyedSource({ message: 0 });
  const reserve = source.reserve.bind(source);
  // As a source whose row of `slow` stays locked.
  source.reserve = async (family, requests, options) => {
    if (options.wait) return new Promise(() => undefined);
    const { keys } = await reserve(family, requests, options);
    return { keys: keys.map((answer, i) => (requests[i]?.key === 'slow' ? { missed: 'locked' } : answer)) };
  };
  const generator = await openMemoryFamily({ source, deadlineMs: 60_000 });
  onTestFinished(() => generator.close());
  const context = {
    ...forever,
    generators: { message: { generator, realm: 'r1' } },
    tallies: new Tallies(),
  };
  const callOf = (key: string) => ({ generator: 'message', key, count: 1 });

  await issue({ calls: [callOf('fast')] }, context);
  const before = vi.getTimerCount();
  await issue({ calls: [callOf('fast')], graceMs: 10_000 }, context);
  expect(vi.getTimerCount()).toBe(before);

  let report: Awaited<ReturnType<typeof issue>> | undefined;
  void issue({ calls: ['slow', 'fast'].map(callOf), graceMs: 10_000 }, context).then((settled) => {
    report = settled;
  });
  // Which takes some of the ten seconds.
  await vi.waitFor(() => expect(generator.counters()).toMatchObject({ idsIssued: 3 }), 60_000);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(report).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(report?.results).toMatchObject([{ problem: { code: 'ERR_IDS_TIMEOUT' } }, { ids: ['3'] }]);
});
