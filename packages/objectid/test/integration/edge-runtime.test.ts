import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';
import { firstNotRising, secondOf } from '../support/issuer-at.js';

/** A worker that keeps one generator for all requests, and answers with the time of the clock and ids. */
const worker = `
const { createObjectIdGenerator } = ${bundle('src/index.ts')};
const ids = createObjectIdGenerator();
export default {
  async fetch() {
    const before = Date.now();
    const issued = [ids.nextSync(), ...ids.nextBatchSync(5_000), ids.nextSync()];
    return Response.json({ before, issued, after: Date.now() });
  },
};
`;

const counterOf = (id: string) => id.slice(-6);

/** Of workerd, where time may stand still between two inputs. */
describe('at the edge', () => {
  let edge: Miniflare;
  beforeAll(async () => {
    edge = new Miniflare({ modules: true, script: worker, compatibilityDate: '2025-01-01' });
    await edge.ready;
  });
  afterAll(() => edge.dispose());

  it('ids rise from request to request, and have the second of theirs', async () => {
    const all: string[] = [];
    for (let request = 0; request < 3; request++) {
      const answer = await edge.dispatchFetch('http://worker/');
      const { before, issued, after } = (await answer.json()) as Record<'before' | 'after', number> & {
        issued: string[];
      };
      const [first, last] = [Math.floor(before / 1_000), Math.floor(after / 1_000)];
      all.push(...issued);
      // A counter that begins near its end comes to it, and the next second is borrowed.
      const end = (id: string) => (counterOf(id) < counterOf(all[0] ?? id) ? last + 1 : last);
      expect(issued.filter((id) => secondOf(id) < first || secondOf(id) > end(id))).toEqual([]);
    }
    expect(all).toHaveLength(3 * 5_002);
    expect(firstNotRising(all)).toBe(-1);
  });
});
