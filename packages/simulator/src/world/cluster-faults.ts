import type { ClusterMember } from '../redis/cluster-member.js';
import { keyOf, slotOf } from '../redis/keyspace.js';
import type { BaseWorld } from './base-world.js';
import type { FaultName } from './planned-faults.js';
import { type Fault, pick, type Scene } from './scene.js';
import type { SimCluster } from './sim-cluster.js';

/** How many rounds of votes a replica gets, and the time between them. */
const VOTES = { rounds: 40, everyMs: 50 };

/** The implementation of a fault in a Cluster, if it differs from that for a single server. */
export function clusterFault(cluster: SimCluster, name: string): Fault | undefined {
  const fault = FAULTS[name as FaultName];
  return fault && ((scene) => fault({ ...scene, cluster }));
}

interface ClusterScene extends Scene<BaseWorld> {
  readonly cluster: SimCluster;
}

const FAULTS: Partial<Record<FaultName, (scene: ClusterScene) => string | undefined>> = {
  flush: ({ cluster, strength }) => {
    const { node } = pick(cluster.masters, strength) ?? {};
    node?.execute(['FLUSHALL']);
    return node?.name;
  },
  'lose a hash': (scene) => {
    const { node } = ownerIn(scene);
    if (!node.alive) return undefined;
    node.execute(['DEL', keyOf(sequenceIn(scene))], { local: true });
    return `${node.name} ${sequenceIn(scene)}`;
  },
  'save a dump': ({ cluster }) => {
    for (const { node } of cluster.masters) cluster.dumps.set(node, node.dump());
    return 'all masters';
  },
  'restart empty': (scene) => restart(scene, false),
  'restart from a dump': (scene) => restart(scene, true),
  'fail over': (scene) => failOver(scene, ownerIn(scene)),
  'fail over another node': (scene) => {
    // The destination of a moving slot may have its keys: not to be lost once the table forgot.
    if (scene.world.behind && scene.cluster.moving.size > 0) return undefined;
    const serving = new Set(scene.world.dispensed.map((name) => scene.cluster.ownerOfSequence(name)));
    const others = scene.cluster.masters.filter((master) => !serving.has(master));
    return others.length === 0 ? undefined : failOver(scene, pick(others, scene.strength));
  },
  demote: ({ world, cluster, ...scene }) => {
    const master = ownerIn({ world, cluster, ...scene });
    const replica = cluster.replicaOf(master);
    if (world.changing > 0 || replica === undefined || !master.node.alive || !cluster.agreed)
      return undefined;
    // `CLUSTER FAILOVER`: the master serves nobody until the replica is in sync and has taken over.
    replica.replicate(master);
    replica.takeOver();
    cluster.bus.tellAtOnce(replica, master);
    return `${replica.node.name} in place of ${master.node.name}, in step`;
  },
  'split brain': (scene) => cutOff(scene),
  'lag a replica': (scene) => {
    const { world, cluster } = scene;
    const replica = cluster.replicaOf(ownerIn(scene));
    if (replica === undefined) return undefined;
    replica.node.cutLink();
    const length = scene.ms(50, 3_000);
    world.later(length, () => cluster.mend(replica));
    return `${replica.node.name} for ${length.toFixed(0)} ms`;
  },
  'move a slot': (scene) => {
    const route = routeOf(scene);
    if (route === undefined) return undefined;
    return journey(scene, route, async () => {
      await moveSlot(scene.world, scene.cluster, route.slot, route.away);
    });
  },
  'move a slot and back': (scene) => {
    const route = routeOf(scene);
    if (route === undefined) return undefined;
    const { world, cluster } = scene;
    return journey(scene, route, async () => {
      if (!(await moveSlot(world, cluster, route.slot, route.away))) return;
      await pause(world, scene.ms(1, 500));
      await moveSlot(world, cluster, route.slot, route.home);
    });
  },
  'bring home an older hash': (scene) => {
    const route = routeOf(scene);
    if (route === undefined || scene.cluster.replicaOf(route.away) === undefined) return undefined;
    return journey(scene, route, () => bringHomeOlder(scene, route));
  },
};

interface Route {
  readonly slot: number;
  readonly home: ClusterMember;
  readonly away: ClusterMember;
}

/**
 * The slot moves to another node, back, and there again. Then a replica that knows only of the first move
 * takes over there, and the slot moves back with the older hash.
 */
async function bringHomeOlder(scene: ClusterScene, { slot, home, away }: Route): Promise<void> {
  const { world, cluster, strength, ms } = scene;
  if (!(await moveSlot(world, cluster, slot, away))) return;
  await pause(world, ms(0.1, 100));
  const replica = cluster.replicaOf(away);
  replica?.node.cutLink();
  if (!(await moveSlot(world, cluster, slot, home))) return;
  await pause(world, ms(1, 300));
  if (!(await moveSlot(world, cluster, slot, away))) return;
  if (replica === undefined || failOver(scene, away) === undefined) return;
  const began = world.scheduler.now;
  while (replica.master !== undefined && world.scheduler.now < began + 3_000) await pause(world, 10);
  await moveSlot(world, cluster, slot, home);
  // A new process remembers no id: only the hash tells it what was issued.
  if (strength < 0.5 && world.alive.length < 2 * world.plan.processes) world.startProcess();
}

/** Moves a slot in the background. */
function journey({ world, cluster }: ClusterScene, { slot, away }: Route, go: () => Promise<void>): string {
  cluster.moving.add(slot);
  void go().then(() => {
    cluster.moving.delete(slot);
    world.trace.add('fault', `slot ${slot} is at ${cluster.ownerOf(slot).node.name}`);
  });
  return `slot ${slot} to ${away.node.name}`;
}

function routeOf(scene: ClusterScene): Route | undefined {
  const { world, cluster, strength } = scene;
  const home = ownerIn(scene);
  const others = cluster.masters.filter((master) => master !== home && !master.cutOff);
  const slot = slotOf(keyOf(sequenceIn(scene)));
  if (world.changing > 0 || others.length === 0 || cluster.moving.has(slot) || !cluster.agreed)
    return undefined;
  return { slot, home, away: pick(others, strength) };
}

/** A lagging replica takes over from a killed master, which comes back later. */
function failOver({ world, cluster, strength, ms }: ClusterScene, master: ClusterMember): string | undefined {
  const replica = cluster.replicaOf(master);
  if (world.changing > 0 || replica === undefined || !master.node.alive) return undefined;
  const lag = ms(1, 300);
  world.changing++;
  replica.node.cutLink();
  void (async () => {
    await pause(world, lag);
    master.node.kill();
    world.resetAll(master.node);
    world.later(10 + strength * 500, () => {
      cluster.start(master, strength < 0.5 ? cluster.dumps.get(master.node) : undefined);
    });
    // A replica cannot win an election against a master that knows of later owners. A TAKEOVER could, but
    // nobody makes one without need.
    for (let round = 0; round < VOTES.rounds && replica.master === master; round++) {
      await pause(world, ms(1, VOTES.everyMs));
      if (cluster.masters.every((voter) => voter.votesFor(replica))) replica.takeOver();
    }
    world.changing--;
    if (replica.master === undefined) {
      world.trace.add('fault', `${replica.node.name} took over, epoch ${replica.myEpoch}`);
    } else cluster.mend(replica);
  })();
  return `${replica.node.name} in place of ${master.node.name}, ${lag.toFixed(0)} ms behind`;
}

/**
 * Cuts off a master together with some processes. Its replica takes over while the master still serves them.
 */
function cutOff(scene: ClusterScene): string | undefined {
  const { world, cluster, strength, ms } = scene;
  const master = ownerIn(scene);
  const replica = cluster.replicaOf(master);
  if (world.changing > 0 || world.plan.cluster?.partitions !== true) return undefined;
  if (replica === undefined || !master.node.alive || !cluster.agreed) return undefined;
  world.changing++;
  master.leaveOthers();
  replica.node.cutLink({ noticed: false });
  for (const [index, { owner, client }] of world.processes.entries()) {
    if ((strength * 8 * (index + 1)) % 1 < 0.5) cluster.cutOff.add(owner);
    client.reset(5);
  }
  world.later(ms(1, 300), () => {
    if (replica.master === master && replica.node.alive) replica.takeOver();
  });
  const length = ms(50, 1_500);
  world.later(length, () => {
    world.changing--;
    cluster.cutOff.clear();
    if (master.cutOff) master.joinOthers();
    cluster.mend(replica);
  });
  return `${master.node.name} for ${length.toFixed(0)} ms`;
}

/** Kills a master and restarts it, empty or from an old dump. */
function restart(scene: ClusterScene, fromDump: boolean): string | undefined {
  const { world, cluster, ms } = scene;
  const master = ownerIn(scene);
  const dump = cluster.dumps.get(master.node);
  if (world.changing > 0 || !master.node.alive || (fromDump && dump === undefined)) return undefined;
  const downMs = ms(1, 500);
  world.changing++;
  master.node.kill();
  world.resetAll(master.node);
  world.later(downMs, () => {
    world.changing--;
    cluster.start(master, fromDump ? dump : undefined);
  });
  return `${master.node.name} for ${downMs.toFixed(0)} ms`;
}

function sequenceIn({ world, who }: Scene<BaseWorld>): string {
  return pick(world.dispensed, who);
}

function ownerIn(scene: ClusterScene): ClusterMember {
  return scene.cluster.ownerOfSequence(sequenceIn(scene));
}

/** How often, and how many times, an operator checks whether all nodes agree. */
const LOOK_MS = 2;
const LOOKS = 500;

/**
 * Moves a slot with its keys in the steps of `redis-cli --cluster reshard`, with pauses between them. If a
 * server dies meanwhile, the slot is closed again. Resolves with whether `to` serves it now.
 */
async function moveSlot(
  world: BaseWorld,
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
        // The new owner first: if the old one died in between, no node would serve the slot.
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

/** Resolves after `ms`, as an event of the world. */
function pause({ scheduler }: BaseWorld, ms: number): Promise<void> {
  return scheduler.until(scheduler.now + ms);
}
