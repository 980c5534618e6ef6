import { type ReservedSegment, type SegmentSource, SequenceMovedError } from '../src/index.js';

/**
 * A source with two servers, `a`, which was at 50 when its successor `b` followed it, and `b`, at 1,000.
 * `route` says which one answers each statement, and may be added to; after its end, `b` does. `Moved`: the
 * class of the errors. A server that is reinstated skips 10,000 ids.
 */
export function twoServers(route: readonly ('a' | 'b')[], Moved = SequenceMovedError) {
  const servers = { a: { maxId: 50, reigns: ['a'] }, b: { maxId: 1_000, reigns: ['b', 'a'] } };
  const answers = [...route];
  let reinstated = 0;
  const source: SegmentSource = {
    describe: async () => ({ realm: 'realm', ...servers[answers.shift() ?? 'b'] }),
    reinstate: async (_, { floor, within, follows }) => {
      const server = servers[answers.shift() ?? 'b'];
      const { maxId, reigns } = server;
      if (within.reigns?.join() !== reigns.join()) return undefined;
      server.reigns = [`again${++reinstated}`, ...follows, ...reigns];
      server.maxId = Math.max(maxId, floor) + 10_000;
      return { origin: { reigns: server.reigns }, maxId: server.maxId, skipped: 10_000 };
    },
    close: async () => {},
    reserve: async (name, size, { floor = 0, within, expectedMaxId } = {}): Promise<ReservedSegment> => {
      const server = servers[answers.shift() ?? 'b'];
      const { maxId, reigns } = server;
      const isWithin = within?.reigns === undefined || within.reigns.join() === reigns.join();
      if (!isWithin || (expectedMaxId ?? maxId) !== maxId) {
        throw new Moved(name, expectedMaxId, maxId, { reigns });
      }
      const low = Math.max(maxId, floor) + 1;
      server.maxId = low + size - 1;
      return { low, high: server.maxId, origin: { reigns } };
    },
  };
  return { source, servers, answers };
}
