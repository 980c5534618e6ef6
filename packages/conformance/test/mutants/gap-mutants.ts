import { open as openSegments, SegmentGenerator } from '../references/segments.js';
import { TicketClient } from '../references/ticket-client.js';
import { TicketGenerator } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const RESTART = 'leaves no number out across a restart';

export const gapMutants: readonly Mutant[] = [
  {
    name: 'loses the last id of every segment',
    fails: 'leaves no number out while nothing fails',
    saying: /does not follow/,
    like: 'segments',
    open: async (context) => {
      const client = await TicketClient.open(context);
      return new SegmentGenerator({
        add: async (count) => (await client.add(count + 1)) - 1,
        close: () => client.close(),
      });
    },
  },
  {
    name: 'drops the rest of its segment when it is closed',
    fails: RESTART,
    saying: /id 1002 \(number 26\) does not follow 25/,
    like: 'segments',
    claims: { gaps: 'on-fault' },
    open: openSegments,
  },
  {
    name: 'sets a whole segment aside and admits ten ids',
    fails: 'sets no more ids aside than it admits',
    saying: /1000 ids were set aside after 10 ids, admitted: 10$/,
    like: 'segments',
    claims: { maxIdsLost: 10 },
    open: openSegments,
  },
  {
    name: 'starts at 1 again when it finds no counter',
    fails: RESTART,
    saying: /id 1 \(number 26\) does not follow 25/,
    like: 'tickets',
    open: async (context) => {
      const client = await TicketClient.open(context);
      await client.set(0);
      return new TicketGenerator(client);
    },
  },
];
