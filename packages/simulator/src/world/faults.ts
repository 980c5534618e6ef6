import { httpFaults } from '../http/http-faults.js';
import { ofMagnitude } from '../random.js';
import { keyOf } from '../redis/keyspace.js';
import { clusterFault } from './cluster-faults.js';
import {
  type FaultName,
  type HTTP_FAULTS,
  isLoss,
  type OLD_DUMP,
  type PlannedFault,
  type SingleServerFault,
  type SPECIAL_FAULTS,
  type STANDBY_FAULTS,
  type TABLE_FAULTS,
} from './planned-faults.js';
import { type Fault, pick } from './scene.js';
import { command, SHARED_FAULTS, splitBrain } from './shared-faults.js';
import { refillerOf, SPECIAL_FAULT_ACTIONS } from './special-faults.js';
import { putTableBack, tableFaults } from './table-faults.js';
import type { World } from './world.js';

/** Applies a planned fault, if possible. Returns whether it was. */
export function strike(world: World, { name, who, strength, length }: PlannedFault): boolean {
  // If the table and Redis both forget ids, nothing is guaranteed.
  if (world.table.behind && isLoss(name)) return false;
  const ms = (low: number, high: number) => ofMagnitude(low, high, length);
  const fault =
    (world.cluster && clusterFault(world.cluster, name)) ??
    (FAULTS as Partial<Record<FaultName, Fault<World>>>)[name];
  const done = fault?.({ world, who, strength, ms });
  if (done === undefined) return false;
  world.trace.add('fault', `${name}: ${done}`);
  return true;
}

type ActedHere =
  | SingleServerFault
  | (typeof SPECIAL_FAULTS)[number]
  | (typeof TABLE_FAULTS)[number]
  | typeof OLD_DUMP
  | (typeof STANDBY_FAULTS)[number]
  | (typeof HTTP_FAULTS)[number];

const FAULTS: Readonly<Record<ActedHere, Fault<World>>> = {
  ...SHARED_FAULTS,
  ...SPECIAL_FAULT_ACTIONS,

  'lose a hash': ({ world, who }) => command(world, ['DEL', keyOf(pick(world.plan.sequences, who))]),

  'split behind a killed refiller': (scene) => {
    const { world } = scene;
    const refiller = refillerOf(scene, world.alive.length);
    if (world.changing > 0 || world.replicas.length === 0 || refiller === undefined) return undefined;
    refiller.owner.dead = true;
    // Both sides reserve at about the same time, in either order.
    world.table.stalledUntil = world.scheduler.now + scene.ms(30, 900);
    world.later(scene.ms(1, 1_000), () => world.startProcess());
    // Longer than a collect waits for confirmation.
    return `${refiller.owner.name}, ${splitBrain(scene, scene.ms(500, 4_000))}`;
  },

  'restore the table': putTableBack,
  ...httpFaults,
  ...tableFaults,
};
