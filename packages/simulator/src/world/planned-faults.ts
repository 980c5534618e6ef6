import type { Random } from '../random.js';

/** Faults after which Redis may no longer know which ids it issued. */
const LOSSES = [
  'flush',
  'lose a hash',
  'restart empty',
  'restart from a dump',
  'fail over',
  'demote',
  'split brain',
] as const;

/** What can go wrong, grouped by where: the worst cases need several of these at the same time. */
export const FAULT_GROUPS = {
  losses: LOSSES,
  network: [
    'reset a connection',
    'reset all connections',
    'lose replies',
    'stall a connection',
    'change latencies',
  ],
  table: [
    'stall the table',
    'stop the table',
    'lose replies of the table',
    'slow the table',
    'restore the table',
  ],
  servers: ['save a dump', 'flush scripts', 'stall a server', 'step the clock of a server'],
  processes: [
    'kill a process',
    'close a process',
    'start a process',
    'pause a process',
    'step the clock of a process',
  ],
} as const;

/** Faults of the table's server; drawn separately, so that seeds keep their other faults. */
export const TABLE_FAULTS = [
  'promote a standby of the table',
  'restore a dump of the table',
  'lock the rows of the table',
  'write to the table by hand',
  'set a floor',
] as const;

/** Of these, whose skips must grow. */
export const OLD_DUMP = 'restore an old dump of the table';

/** Faults that need a synchronous standby. */
export const STANDBY_FAULTS = ['give up on the standby', 'slow the standby'] as const;

/** Faults that need a Cluster. */
export const CLUSTER_FAULTS = [
  'move a slot',
  'move a slot and back',
  'fail over another node',
  'bring home an older hash',
  'lag a replica',
] as const;

/** Faults of special seeds only. */
export const SPECIAL_FAULTS = [
  'kill the refiller',
  'split behind a killed refiller',
  'wind back a hash',
  'lose hash and table',
  'copy a hash',
  'depose the primary of the table',
  'promote two standbys of the table',
] as const;

/** Faults of servers of ids, and of what is between them and their clients. */
export const HTTP_FAULTS = [
  'disturb the requests for ids',
  'kill a server of ids',
  'pause a server of ids',
] as const;

export type SingleServerFault = (typeof FAULT_GROUPS)[keyof typeof FAULT_GROUPS][number];

export type ClusterFaultName = (typeof CLUSTER_FAULTS)[number];

export type FaultName =
  | SingleServerFault
  | (typeof TABLE_FAULTS)[number]
  | typeof OLD_DUMP
  | (typeof STANDBY_FAULTS)[number]
  | ClusterFaultName
  | (typeof SPECIAL_FAULTS)[number]
  | (typeof HTTP_FAULTS)[number];

/** Whether the fault may make Redis forget ids. */
export function isLoss(name: string): boolean {
  return (
    [
      ...LOSSES,
      'bring home an older hash',
      'wind back a hash',
      'wind back a record',
      'lose a record',
      'lose the family',
      'lose records and rows',
      'copy a record',
      'copy a hash',
      'split behind a killed refiller',
    ] as readonly string[]
  ).includes(name);
}

export interface PlannedFault<Name extends string = FaultName> {
  /** Its position among the faults that the seed drew, from 0. */
  readonly position: number;
  readonly atMs: number;
  readonly name: Name;
  /** Three numbers from 0 to 1: what it affects, how hard and for how long. */
  readonly who: number;
  readonly strength: number;
  readonly length: number;
}

export interface FaultMix<Name extends string> {
  readonly runMs: number;
  /** How often each fault happens, relative to the others. */
  readonly rates: ReadonlyMap<Name, number>;
  /** Milliseconds between two faults, on average. */
  readonly gapMs: number;
  /** The probability that a loss is immediately followed by another one. */
  readonly echo: number;
  /** The position of the first fault. */
  readonly from: number;
}

/** Draws faults at the times of a Poisson process. */
export function scatterFaults<Name extends string = FaultName>(
  random: Random,
  { runMs, rates, gapMs, echo, from }: FaultMix<Name>,
): PlannedFault<Name>[] {
  const names = [...rates.keys()];
  const total = names.reduce((sum, name) => sum + (rates.get(name) ?? 0), 0);
  const drawName = (): Name | undefined => {
    let left = random.next() * total;
    return names.find((name) => {
      left -= rates.get(name) ?? 0;
      return left < 0;
    });
  };
  const faults: PlannedFault<Name>[] = [];
  for (let atMs = random.next() * gapMs; atMs < runMs; atMs += -Math.log(1 - random.next()) * gapMs) {
    const name = drawName();
    if (name === undefined) continue;
    const fault = (when: number): PlannedFault<Name> => ({
      position: from + faults.length,
      atMs: when,
      name,
      who: random.next(),
      strength: random.next(),
      length: random.next(),
    });
    faults.push(fault(atMs));
    // Losses in quick succession are worse than any number of separate ones.
    if (isLoss(name) && random.chance(echo)) faults.push(fault(atMs + random.magnitude(1, 200)));
  }
  return faults;
}
