import { chmod, chown, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { EtcdApi } from './etcd-server.js';
import { answersSoon, type GroupNode } from './failover-group.js';
import { OwnedProcess, type SystemUser } from './owned-process.js';
import { pollUntil } from './poll-until.js';
import { freePort } from './ports.js';
import { descendantsOf, isAlive, signalAll } from './process-tree.js';
import { processIdentity, releaseProcess, watchProcess } from './watchdog.js';

export interface NodeSetup {
  readonly scope: string;
  readonly patroni: string;
  /** A folder of `programsIn`. */
  readonly bin: string;
  readonly dir: string;
  readonly user: SystemUser | undefined;
  readonly password: string;
  readonly api: EtcdApi;
  /** Host and port. */
  readonly etcd: string;
  readonly synchronous: boolean;
}

const host = '127.0.0.1';
/** Seconds: shorter than in production, so that a failover takes seconds. */
const PACE = { ttl: 6, loop_wait: 1, retry_timeout: 2 };

interface Ports {
  /** Of Postgres. */
  readonly port: number;
  /** Of Patroni's REST API. */
  readonly rest: number;
}

/** A Postgres and the Patroni that manages it. The URL is that of the database `postgres`, as superuser. */
export class LocalNode implements GroupNode {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  readonly #rest: number;
  readonly #data: string;
  readonly #manager: OwnedProcess;
  #postmaster: number | undefined;

  private constructor(name: string, { port, rest }: Ports, url: string, data: string, manager: OwnedProcess) {
    this.name = name;
    this.port = port;
    this.#rest = rest;
    this.url = url;
    this.#data = data;
    this.#manager = manager;
  }

  static async start(name: string, setup: NodeSetup): Promise<LocalNode> {
    const { patroni, user, password } = setup;
    const dir = join(setup.dir, name);
    await mkdir(dir, { mode: 0o700 });
    const [port, rest] = [await freePort(), await freePort()];
    const file = join(dir, 'patroni.yml');
    // JSON is YAML.
    await writeFile(file, JSON.stringify(configOf(name, dir, { port, rest }, setup)), { mode: 0o600 });
    if (user) for (const path of [dir, file]) await chown(path, user.uid, user.gid);
    const manager = await OwnedProcess.start({
      command: patroni,
      args: [file],
      cwd: dir,
      user,
      logFile: join(dir, 'patroni.log'),
      endSignal: 'KILL',
    });
    const url = `postgres://postgres:${password}@${host}:${port}/postgres`;
    return new LocalNode(name, { port, rest }, url, join(dir, 'data'), manager);
  }

  get log(): string {
    return this.#manager.log;
  }

  /** Patroni starts a Postgres anew after each demotion, and the watchdog must know of it. */
  async adopt(): Promise<void> {
    const [line] = (await readFile(join(this.#data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    const pid = Number(line);
    const identity = pid > 0 ? processIdentity(pid) : undefined;
    if (identity === undefined || pid === this.#postmaster) return;
    if (this.#postmaster !== undefined) await releaseProcess(this.#postmaster);
    this.#postmaster = pid;
    await watchProcess(pid, identity, 'QUIT');
  }

  acceptsWrites(): Promise<boolean> {
    return this.#says('NOT pg_is_in_recovery()');
  }

  /** The timeline that it writes; undefined if it does not say so within a second. */
  async timeline(): Promise<number | undefined> {
    const text = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int`;
    return (await ask(this.url, text)) as number | undefined;
  }

  /**
   * Whether it receives a timeline. A former leader first receives the one that it wrote, and is rewound to
   * the next one after that.
   */
  receives(timeline: number): Promise<boolean> {
    return this.#says(
      `(SELECT status = 'streaming' AND received_tli = ${timeline} FROM pg_stat_wal_receiver)`,
    );
  }

  async #says(condition: string): Promise<boolean> {
    return (await ask(this.url, condition)) === true;
  }

  async freeze(): Promise<void> {
    await this.adopt();
    const roots = [this.#postmaster, this.#manager.pid].filter((pid) => pid !== undefined);
    // First those that could start others.
    signalAll(roots, 'SIGSTOP');
    signalAll(roots.flatMap(descendantsOf), 'SIGSTOP');
  }

  wakeServer(): void {
    if (this.#postmaster === undefined) return;
    signalAll([...descendantsOf(this.#postmaster), this.#postmaster], 'SIGCONT');
  }

  async handOver(): Promise<void> {
    const answer = await fetch(`http://${host}:${this.#rest}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: this.name }),
    });
    if (!answer.ok) throw new Error(`Patroni refuses a switch: ${answer.status} ${await answer.text()}`);
  }

  wakeManager(): void {
    signalAll([...descendantsOf(this.#manager.pid), this.#manager.pid], 'SIGCONT');
  }

  async end(): Promise<void> {
    await this.#manager.end('SIGKILL');
    await this.adopt();
    const pid = this.#postmaster;
    if (pid === undefined) return;
    this.wakeServer();
    signalAll([pid], 'SIGQUIT');
    if (!(await pollUntil(async () => !isAlive(pid), 10_000))) signalAll([pid], 'SIGKILL');
    await releaseProcess(pid);
  }
}

/**
 * A folder with the programs of Postgres for Patroni, which would start `postgres` in the process group of a
 * process that has ended. The watchdog ends groups by the process that leads them.
 */
export async function programsIn(dir: string, bin: string): Promise<string> {
  const own = join(dir, 'bin');
  await mkdir(own);
  for (const name of await readdir(bin)) {
    if (name !== 'postgres') await symlink(join(bin, name), join(own, name));
  }
  await writeFile(join(own, 'postgres'), `#!/bin/sh\nexec setsid ${join(bin, 'postgres')} "$@"\n`);
  await chmod(join(own, 'postgres'), 0o755);
  return own;
}

function configOf(
  name: string,
  dir: string,
  { port, rest }: Ports,
  { scope, bin, password, api, etcd, synchronous }: NodeSetup,
): object {
  const parameters = {
    max_connections: 300,
    shared_buffers: '16MB',
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap',
    wal_keep_size: '256MB',
  };
  const rejoin = {
    use_pg_rewind: true,
    remove_data_directory_on_rewind_failure: true,
    remove_data_directory_on_diverged_timelines: true,
  };
  const modes = { maximum_lag_on_failover: 2 ** 30, synchronous_mode: synchronous };
  return {
    scope,
    name,
    restapi: { listen: `${host}:${rest}`, connect_address: `${host}:${rest}` },
    [api === 'v2' ? 'etcd' : 'etcd3']: { host: etcd },
    bootstrap: {
      dcs: { ...PACE, ...modes, postgresql: { use_pg_rewind: true, parameters } },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'no-sync'],
    },
    postgresql: {
      listen: `${host}:${port}`,
      connect_address: `${host}:${port}`,
      data_dir: join(dir, 'data'),
      bin_dir: bin,
      pgpass: join(dir, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
      },
      pg_hba: [`host all all ${host}/32 scram-sha-256`, `host replication all ${host}/32 scram-sha-256`],
      ...rejoin,
    },
  };
}

/** The value of an expression; undefined if there is none within a second. */
async function ask(url: string, expression: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, ssl: false });
  client.on('error', () => {});
  try {
    return await answersSoon(async () => {
      await client.connect();
      return (await client.query(`SELECT ${expression} AS said`)).rows[0]?.said;
    });
  } finally {
    // Without waiting: a server that hangs does not answer to this either.
    client.end().catch(() => {});
  }
}
