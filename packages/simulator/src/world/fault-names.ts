/** Those after which Redis may not know any more which ids it gave. */
const LOSSES = [
  'flush',
  'lose a hash',
  'restart empty',
  'restart from a dump',
  'fail over',
  'demote',
  'split brain',
] as const;

/** What can go wrong, by what it happens to: the worst of it takes several of these at the same time. */
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

/** What a server of the table goes through; drawn apart from the others, so that seeds keep those. */
export const TABLE_FAULTS = [
  'promote a standby of the table',
  'restore a dump of the table',
  'lock the rows of the table',
  'write to the table by hand',
  'set a floor',
] as const;

/** What can go wrong with a synchronous standby only. */
export const STANDBY_FAULTS = ['give up on the standby', 'slow the standby'] as const;

/** What can go wrong in a Cluster only. */
export const CLUSTER_FAULTS = [
  'move a slot',
  'move a slot and back',
  'fail over another node',
  'bring home an older hash',
  'lag a replica',
] as const;

/** What happens only in seeds that are about it. */
export const SPECIAL_FAULTS = [
  'kill the filler',
  'split behind a killed filler',
  'wind back a hash',
  'lose hash and table',
] as const;

export type SingleServerFault = (typeof FAULT_GROUPS)[keyof typeof FAULT_GROUPS][number];

export type FaultName =
  | SingleServerFault
  | (typeof TABLE_FAULTS)[number]
  | (typeof STANDBY_FAULTS)[number]
  | (typeof CLUSTER_FAULTS)[number]
  | (typeof SPECIAL_FAULTS)[number];

/** Whether it may make Redis forget ids. */
export function isLoss(name: FaultName): boolean {
  return (
    [
      ...LOSSES,
      'bring home an older hash',
      'wind back a hash',
      'split behind a killed filler',
    ] as readonly string[]
  ).includes(name);
}
