import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';
import { firstNotRising, msOf } from '../support/ids.js';

/** A worker that keeps one generator for all requests, and answers with the time of the clock and ids. */
const worker = `
const { createUuid7Generator } = ${bundle()};
const [one, other] = [createUuid7Generator(), createUuid7Generator()];
export default {
  async fetch() {
    const before = Date.now();
    const ids = [one.nextSync(), other.nextSync(), ...one.nextBatchSync(2_000), other.nextSync()];
    return Response.json({ before, ids, after: Date.now() });
  },
};
`;

/** Of workerd, where time may stand still between two inputs. */
describe('at the edge', () => {
  let edge: Miniflare;
  beforeAll(async () => {
    edge = new Miniflare({ modules: true, script: worker, compatibilityDate: '2025-01-01' });
    await edge.ready;
  });
  afterAll(() => edge.dispose());

  it('ids rise from request to request, and have the time of theirs', async () => {
    const all: string[] = [];
    for (let request = 0; request < 3; request++) {
      const answer = await edge.dispatchFetch('http://worker/');
      const { before, ids, after } = (await answer.json()) as Record<'before' | 'after', number> & {
        ids: string[];
      };
      expect(ids.filter((id) => msOf(id) < before || msOf(id) > after)).toEqual([]);
      all.push(...ids);
    }
    expect(all).toHaveLength(3 * 2_003);
    expect(firstNotRising(all)).toBe(-1);
  });
});
