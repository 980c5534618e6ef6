import { describe, expect, it } from 'vitest';
import { Gpid, PeerTracker, relationOf } from '../src/index.js';
import { ContiguousRun, repeated } from './support/contiguous-run.mjs';

const bare = '10.0.0.7:8888:1307761900123456:1';
const container = (ticks: number, run: string) =>
  Gpid.parse(`${bare};boot=2132d8db778144df;ticks=${ticks};pidns=4026531836;run=${run.repeat(16)}`);

/** A container with pid 1, and its successor whose clock was stepped back to the same microsecond. */
const successors = () => [container(1_000, 'a'), container(2_000, 'b')] as const;

type Compare = typeof relationOf;

function tellsContainersApart(relation: Compare): boolean {
  const [old, young] = successors();
  return relation(old, young) !== 'same' && relation(old, old) === 'same';
}

function tellsThreadsApart(relation: Compare): boolean {
  const [one, two] = [1, 2].map((thread) =>
    Gpid.parse(`${bare};thread=${thread};run=${`${thread}`.repeat(16)}`),
  );
  return one !== undefined && two !== undefined && relation(one, two) === 'different';
}

describe('the checks of this package', () => {
  it('hold for relationOf, and fail for one that looks at the four-tuple only', () => {
    const mutant: Compare = (a, b) => relationOf(Gpid.parse(a.fourTuple), Gpid.parse(b.fourTuple));
    expect([relationOf, mutant].map(tellsContainersApart)).toEqual([true, false]);
    expect([relationOf, mutant].map(tellsThreadsApart)).toEqual([true, false]);
  });

  it('hold for PeerTracker, and fail for one that sees no restart or sees one in each reconnect', () => {
    const [old, young] = successors();
    const passes = (tracker: Pick<PeerTracker, 'observe'>) =>
      [old, old, young, young].map((gpid) => tracker.observe(gpid).relation).join() ===
      'first,same,restarted,same';
    const blind = { observe: (gpid: Gpid) => ({ relation: 'same', gpid }) as const };
    const nervous = {
      observe: (gpid: Gpid) => ({ relation: 'restarted', gpid, predecessor: gpid }) as const,
    };
    expect([new PeerTracker(), blind, nervous].map(passes)).toEqual([true, false, false]);
  });

  it('see a repeated, a skipped and a foreign id, and two threads with one prefix', () => {
    const accepts = (ids: readonly string[]) => {
      const run = new ContiguousRun();
      try {
        for (const id of ids) run.add(id);
        return true;
      } catch {
        return false;
      }
    };
    expect(accepts(['p/1', 'p/2', 'p/3'])).toBe(true);
    for (const ids of [['p/1', 'p/1'], ['p/1', 'p/3'], ['p/2'], ['p/1', 'q/2'], ['p1'], ['p/1', 'p/02']]) {
      expect(accepts(ids)).toBe(false);
    }
    expect(repeated(['p/', 'q/', 'r/'])).toEqual([]);
    expect(repeated(['p/', 'q/', 'p/'])).toEqual(['p/']);
  });
});
