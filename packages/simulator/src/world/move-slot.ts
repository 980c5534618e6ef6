import type { ClusterMember } from '../redis/cluster-member.js';
import type { SimCluster } from './sim-cluster.js';
import type { World } from './world.js';

/** How often, and for how long, an operator looks whether all nodes agree. */
const LOOK_MS = 2;
const LOOKS = 500;

/**
 * Moves a slot with its keys in the steps of `redis-cli --cluster reshard`, each a while after the one
 * before. Should a server die meanwhile, the slot is closed again. Resolves with whether `to` serves it now.
 */
export async function moveSlot(
  world: World,
  cluster: SimCluster,
  slot: number,
  to: ClusterMember,
): Promise<boolean> {
  const from = cluster.ownerOf(slot);
  const serves = () => from.node.alive && from.master === undefined && from.owners.get(slot) === from;
  const ready = () =>
    to.node.alive &&
    to.master === undefined &&
    to.knowsAsMaster(from) &&
    from.knowsAsMaster(to) &&
    !cluster.bus.apart(from, to);
  if (from === to || !serves() || !ready()) return false;
  to.importing.set(slot, from);
  await pause(world, cluster.stepMs());
  if (serves() && ready() && to.importing.has(slot)) {
    from.migrating.set(slot, to);
    await pause(world, cluster.stepMs());
    if (serves() && ready() && to.importing.has(slot) && cluster.migrate(slot, from, to)) {
      await pause(world, cluster.stepMs());
      if (ready() && to.importing.has(slot)) {
        // The new owner first: were the old one to die in between, nobody would serve the slot.
        to.setSlotNode(slot, to);
        world.trace.add('fault', `${to.node.name} serves slot ${slot}, epoch ${to.myEpoch}`);
        await pause(world, cluster.stepMs());
        if (serves() && !cluster.bus.apart(from, to)) from.setSlotNode(slot, to);
      }
    }
  }
  if (cluster.ownerOf(slot) !== to) cluster.close(slot);
  for (let looks = 0; looks < LOOKS && !cluster.agreed; looks++) await pause(world, LOOK_MS);
  if (!cluster.agreed) cluster.settle(slot);
  return cluster.ownerOf(slot) === to;
}

/** Resolves after `ms`, in the world. */
export function pause({ scheduler }: World, ms: number): Promise<void> {
  return scheduler.until(scheduler.now + ms);
}
