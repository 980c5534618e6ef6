import { setTimeout as passed } from 'node:timers/promises';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';

/**
 * A worker that keeps one generator for all requests and answers with the second of the
 * clock and that of an id.
 */
const worker = `
const { createObjectIdGenerator } = ${bundle('src/index.ts')};
const ids = createObjectIdGenerator({ clock: 'turn' });
export default {
  async fetch() {
    const now = Math.floor(Date.now() / 1_000);
    return Response.json({ now, dated: Number.parseInt(ids.nextSync().slice(0, 8), 16) });
  },
};
`;

/** Of workerd, where time stands still between two inputs, and a timer ends with the request that set it. */
describe("at the edge, with clock: 'turn'", () => {
  let edge: Miniflare;
  beforeAll(async () => {
    edge = new Miniflare({ modules: true, script: worker, compatibilityDate: '2025-01-01' });
    await edge.ready;
  });
  afterAll(() => edge.dispose());

  it('ids of a later request have its time, however few were asked for before', async () => {
    const seen: { readonly now: number; readonly dated: number }[] = [];
    for (let request = 0; request < 3; request++) {
      // Nothing else than the next second of the clock can show that it is read again.
      await passed(1_000 - (Date.now() % 1_000));
      seen.push((await (await edge.dispatchFetch('http://worker/')).json()) as (typeof seen)[number]);
    }
    expect(seen.map(({ dated, now }) => dated - now)).toEqual([0, 0, 0]);
    expect(new Set(seen.map(({ now }) => now)).size).toBeGreaterThan(1);
  });
});
