import { type AddressInfo, connect, createServer } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { IdGenerator } from '@ids/core';
import { alter, mapIds } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import { open as openSegments } from '../references/segments.js';
import { open as openTickets, ticketGuarantees } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const CLAIMS = 'claims what its strategy claims, in frozen guarantees';
const AGREEMENT = 'makes claims that agree with each other';
const BACKENDS = 'connects to no backend that it does not name';
const DISCLOSURE = 'discloses nothing that it does not declare';

const ANY_TEXT = { pattern: /.+/, maxLength: 200, sortable: false } as const;

export const guaranteeMutants: readonly Mutant[] = [
  {
    name: 'claims more than its strategy does',
    fails: CLAIMS,
    saying: /claims something else/,
    like: 'segments',
    open: async (context) =>
      alter(await openSegments(context), { guarantees: Object.freeze({ ...ticketGuarantees }) }),
  },
  {
    name: 'lets its claims be changed',
    fails: CLAIMS,
    saying: /guarantees can be changed/,
    like: 'tickets',
    open: async (context) => alter(await openTickets(context), { guarantees: { ...ticketGuarantees } }),
  },
  {
    name: 'lets its nested claims be changed',
    fails: CLAIMS,
    saying: /guarantees\.order can be changed/,
    like: 'tickets',
    open: async (context) => {
      const guarantees = Object.freeze({ ...ticketGuarantees, order: { ...ticketGuarantees.order } });
      return alter(await openTickets(context), { guarantees });
    },
  },
  {
    name: 'claims something else each time it is asked',
    fails: CLAIMS,
    saying: /guarantees differ when they are read again/,
    like: 'tickets',
    open: async (context) => {
      let reads = 0;
      const weaker = Object.freeze({ ...ticketGuarantees, gaps: 'on-restart' });
      const get = () => (reads++ < 3 ? ticketGuarantees : weaker);
      return Object.defineProperty(alter(await openTickets(context), {}), 'guarantees', { get });
    },
  },
  {
    name: 'claims less once it has issued ids',
    fails: CLAIMS,
    saying: /guarantees differ once ids were issued/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      let issued = 0;
      const altered = alter(generator, {
        next: (options) => {
          issued += 1;
          return generator.next(options);
        },
      });
      const weaker = Object.freeze({ ...ticketGuarantees, gaps: 'on-restart' });
      const get = () => (issued === 0 ? ticketGuarantees : weaker);
      return Object.defineProperty(altered, 'guarantees', { get });
    },
  },
  {
    name: 'computes a frozen claim each time it is read',
    fails: CLAIMS,
    saying: /guarantees\.gaps is computed when it is read/,
    like: 'tickets',
    open: async (context) => {
      let reads = 0;
      const guarantees = Object.freeze({
        ...ticketGuarantees,
        get gaps() {
          return reads++ < 100 ? 'never' : 'on-restart';
        },
      } as const);
      return alter(await openTickets(context), { guarantees });
    },
  },
  {
    name: 'claims k-sorted ids and no skew',
    fails: AGREEMENT,
    saying: /skewMs is for k-sorted only/,
    like: 'tickets',
    claims: { order: { process: 'increasing', cluster: 'k-sorted' } },
    open: openTickets,
  },
  {
    name: 'claims ids that rise in the cluster but are unique in a process only',
    fails: AGREEMENT,
    saying: /unique in the cluster/,
    like: 'tickets',
    claims: { unique: 'process' },
    open: openTickets,
  },
  {
    name: 'has a pattern that remembers where it stopped',
    fails: AGREEMENT,
    saying: /keeps state between calls/,
    like: 'tickets',
    claims: { text: { pattern: /\d+/g, maxLength: 16, sortable: false } },
    open: openTickets,
  },
  {
    name: 'states a shortest length above the longest',
    fails: AGREEMENT,
    saying: /minLength must be from 0 to 16, got 17/,
    like: 'tickets',
    claims: { text: { pattern: /\d+/, minLength: 17, maxLength: 16, sortable: false } },
    open: openTickets,
  },
  {
    name: 'asks a store that it does not name',
    fails: BACKENDS,
    saying: /names no backend talks to sql/,
    like: 'tickets',
    claims: { backends: [] },
    open: openTickets,
  },
  {
    name: 'asks another store than the one it names',
    fails: BACKENDS,
    saying: /names redis talks to sql/,
    like: 'tickets',
    claims: { backends: ['redis'] },
    open: openTickets,
  },
  {
    name: 'says hello to a Redis that it does not name',
    fails: BACKENDS,
    saying: /names sql talks to redis/,
    like: 'tickets',
    open: async (context) => {
      const generator = await openTickets(context);
      const server = createServer((socket) => socket.resume().on('error', () => socket.destroy()));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const redis = connect(port, '127.0.0.1');
      redis.write('*1\r\n$4\r\nPING\r\n');
      return alter(generator, {
        close: async () => {
          redis.destroy();
          server.close();
          await generator.close();
        },
      });
    },
  },
  {
    name: 'admits less than no lost ids',
    fails: AGREEMENT,
    saying: /maxIdsLost must be a whole number from 0, got -1/,
    like: 'tickets',
    claims: { maxIdsLost: -1 },
    open: openTickets,
  },
  {
    name: 'counts in its strings and does not say that this discloses the volume',
    fails: DISCLOSURE,
    saying: /disclose volume/,
    like: 'local',
    claims: { discloses: [] },
    open: openLocal,
  },
  {
    name: 'counts and does not say that this discloses the volume',
    fails: DISCLOSURE,
    saying: /disclose volume/,
    like: 'tickets',
    claims: { discloses: [] },
    open: openTickets,
  },
  discloses('host', 'the name of its host', () => hostname()),
  discloses('address', 'an address', () => Object.values(networkInterfaces()).flat()[0]?.address ?? ''),
  discloses('process', 'its process id', () => `${process.pid}`),
  discloses('time', 'seconds in hexadecimal', () => Math.floor(Date.now() / 1_000).toString(16)),
  discloses('time', 'microseconds', () => `${Date.now()}000`),
  discloses('time', 'milliseconds in hexadecimal', () => Date.now().toString(16)),
];

function discloses(what: string, name: string, text: () => string): Mutant {
  return {
    name: `writes ${name} into its ids and does not say so`,
    fails: DISCLOSURE,
    saying: new RegExp(`disclose ${what}`),
    like: 'local',
    claims: { text: ANY_TEXT, discloses: [] },
    open: async (): Promise<IdGenerator> => mapIds(await openLocal(), (id) => `${id}_${text()}_x`),
  };
}
