import type { ReservedSegment, SegmentSource } from '../src/index.js';

/**
 * A source with two servers, `a`, which was at 50 when its successor `b` followed it, and `b`, at 1,000.
 * `route` says which one answers each reservation; after its end, `b` does.
 */
export function twoServers(route: readonly ('a' | 'b')[]) {
  const servers = { a: { maxId: 50, reigns: ['a'] }, b: { maxId: 1_000, reigns: ['b', 'a'] } };
  const answers = [...route];
  const source: SegmentSource = {
    describe: async () => ({ realm: 'realm', maxId: 0 }),
    close: async () => {},
    reserve: async (_, size, { floor = 0, within } = {}): Promise<ReservedSegment> => {
      const server = servers[answers.shift() ?? 'b'];
      if (within !== undefined && within.join() !== server.reigns.join()) throw new Error('another server');
      const low = Math.max(server.maxId, floor) + 1;
      server.maxId = low + size - 1;
      return { low, high: server.maxId, origin: { reigns: server.reigns } };
    },
  };
  return { source, servers };
}
