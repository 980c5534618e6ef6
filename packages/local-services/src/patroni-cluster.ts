import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { type EtcdApi, type EtcdServer, startEtcd } from './etcd-server.js';
import type { FailoverGroup, GroupNode } from './failover-group.js';
import { createTempDir, removeTempDir } from './isolation.js';
import { findOnPath } from './owned-process.js';
import { LocalNode, programsIn } from './patroni-node.js';
import { pollUntil } from './poll-until.js';
import { postgresBinaries, unprivilegedUser } from './postgres-binary.js';

export interface PatroniOptions {
  /** At least 2, which is the default. */
  readonly nodes?: number;
  /**
   * How Patroni talks to etcd; `v2` by default. With `v3`, a leader that wakes overwrites the key of its
   * successor, if it is quick: then the successor is demoted, and an earlier timeline goes on.
   */
  readonly etcd?: EtcdApi;
  /** Whether commits wait for a standby that may be promoted; `false` by default. */
  readonly synchronous?: boolean;
}

const scope = 'ids';
const leaderTimeoutMs = 60_000;
const completeTimeoutMs = 120_000;

/**
 * Postgres servers with an automatic failover: starts etcd, and a Patroni with a Postgres for each node, in
 * about 10 s. `leader` is the node that holds the key in etcd, whatever it does with it. Needs `patroni` and
 * `etcd` on the PATH, or rejects with the command that installs them. Linux only.
 */
export async function startPatroniCluster({
  nodes: size = 2,
  etcd: api = 'v2',
  synchronous = false,
}: PatroniOptions = {}): Promise<FailoverGroup> {
  if (!Number.isSafeInteger(size) || size < 2) throw new RangeError(`nodes ${size}: at least 2 are accepted`);
  const programs = { patroni: programOf('patroni'), etcd: programOf('etcd') };
  const user = unprivilegedUser();
  const dir = await createTempDir('patroni', { owner: user });
  const nodes: LocalNode[] = [];
  let etcd: EtcdServer | undefined;
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.end()));
    await etcd?.close();
    await removeTempDir(dir);
  };
  try {
    const binaries = await postgresBinaries(dir, user);
    etcd = await startEtcd(programs.etcd.command, dir, user);
    const { address, get } = etcd;
    const versions = {
      patroni: programs.patroni.version,
      etcd: programs.etcd.version,
      postgres: binaries.version,
    };
    const ask = (key: string) => get(`/service/${scope}/${key}`, api);
    const cluster = new LocalPatroniCluster(nodes, versions, { ask, synchronous, close });
    const bin = await programsIn(dir, dirname(binaries.postgres));
    const password = randomBytes(12).toString('hex');
    const patroni = programs.patroni.command;
    const setup = { scope, patroni, bin, dir, user, password, etcd: address, api, synchronous };
    for (let i = 1; i <= size; i++) {
      nodes.push(await LocalNode.start(`n${i}`, setup));
      // The first one creates the database that the others copy.
      if (i === 1) await cluster.leaderAfter(undefined);
    }
    await cluster.complete();
    return cluster;
  } catch (error) {
    await close();
    throw error;
  }
}

interface Keeper {
  /** The value of a key of this cluster in etcd. */
  readonly ask: (key: string) => Promise<string | undefined>;
  readonly synchronous: boolean;
  readonly close: () => Promise<void>;
}

class LocalPatroniCluster implements FailoverGroup {
  readonly nodes: readonly LocalNode[];
  readonly versions: FailoverGroup['versions'];
  readonly close: () => Promise<void>;
  readonly #keeper: Keeper;

  constructor(nodes: readonly LocalNode[], versions: FailoverGroup['versions'], keeper: Keeper) {
    this.nodes = nodes;
    this.versions = versions;
    this.#keeper = keeper;
    this.close = keeper.close;
  }

  async leader(): Promise<LocalNode | undefined> {
    const name = await this.#keeper.ask('leader');
    return this.nodes.find((node) => node.name === name);
  }

  async leaderAfter(former: GroupNode | undefined): Promise<LocalNode> {
    let leader: LocalNode | undefined;
    const elected = await pollUntil(async () => {
      leader = await this.leader();
      return leader !== undefined && leader !== former && (await leader.acceptsWrites());
    }, leaderTimeoutMs);
    if (!elected || leader === undefined) throw this.#late('elected no leader', leaderTimeoutMs);
    return leader;
  }

  async complete(): Promise<void> {
    const done = await pollUntil(async () => {
      const leader = await this.leader();
      const others = this.nodes.filter((node) => node !== leader);
      for (const node of this.nodes) await node.adopt();
      const timeline = await leader?.timeline();
      if (timeline === undefined) return false;
      const following = await Promise.all(others.map((node) => node.receives(timeline)));
      return following.every((one) => one) && (await this.#hasHeir(leader));
    }, completeTimeoutMs);
    if (!done) throw this.#late('was not complete', completeTimeoutMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** With synchronous replication, Patroni promotes only who is named in etcd. */
  async #hasHeir(leader: LocalNode | undefined): Promise<boolean> {
    if (!this.#keeper.synchronous) return true;
    const named = JSON.parse((await this.#keeper.ask('sync')) ?? '{}') as Record<string, string | null>;
    return named.leader === leader?.name && Boolean(named.sync_standby);
  }

  #late(what: string, ms: number): Error {
    const logs = this.nodes.map(({ name, log }) => `${name} printed:\n${log}`).join('\n');
    return new Error(`Patroni ${what} after ${ms / 1000} s; ${logs}`);
  }
}

function programOf(name: 'patroni' | 'etcd'): { readonly command: string; readonly version: string } {
  const command = findOnPath(name);
  const version = command && /\d+(\.\d+)+/.exec(spawnSync(command, ['--version']).stdout?.toString())?.[0];
  if (command && version) return { command, version };
  throw new Error(
    `no ${name} that runs on PATH: apt-get install --no-install-recommends patroni python3-etcd python3-psycopg2 etcd-server (as root)`,
  );
}
