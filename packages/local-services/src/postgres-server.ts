import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createTempDir, removeTempDir, uniqueName } from './isolation.js';
import type { SystemUser } from './owned-process.js';
import { OwnedProcess, runCommand } from './owned-process.js';
import { onFreePort } from './ports.js';
import { type PostgresBinaries, postgresBinaries, unprivilegedUser } from './postgres-binary.js';

/** How to start a Postgres. */
export interface PostgresOptions {
  /** Server settings by name, which override the defaults: `{ synchronous_commit: 'off' }`. `fsync` is on. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A separate Postgres on 127.0.0.1, owned by whoever started it. */
export interface PostgresServer extends AsyncDisposable {
  /** The URL of the database `postgres`, as superuser, with a random password. */
  readonly url: string;
  readonly port: number;
  /** The PID of the running postmaster, or of the last one; changes with `start()`. */
  readonly pid: number;
  /** Such as `15.13`. */
  readonly version: string;
  /** The settings it was started with, including defaults. */
  readonly settings: Readonly<Record<string, string>>;
  /**
   * `fast` ends the connections and writes a checkpoint; `immediate` ends the process as in a crash, and the
   * next start recovers from the WAL. Waits for the end. No effect if it is down.
   */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /**
   * Starts it again with the same port and data. No effect while it is running. Resolves when it accepts
   * queries.
   */
  start(): Promise<void>;
  /** Ends it at once and removes its folder. Idempotent. */
  close(): Promise<void>;
  /** Creates an empty database and returns its URL; with a unique name by default. */
  createDatabase(name?: string): Promise<string>;
}

const host = '127.0.0.1';
const readyTimeoutMs = 60_000;
const initdbTimeoutMs = 60_000;
const copyTimeoutMs = 60_000;

const defaultSettings = {
  listen_addresses: host,
  unix_socket_directories: '',
  fsync: 'on',
  max_connections: '200',
  shared_buffers: '16MB',
  // So that tests find statements by what they say, however long these are.
  track_activity_query_size: '16kB',
  // In the data folder rather than /dev/shm, so that removing the folder removes everything.
  dynamic_shared_memory_type: 'mmap',
};

/**
 * Creates a Postgres cluster in a temporary folder, starts it and waits until it accepts queries: 1 to 2 s.
 * For root it runs as `postgres` or `nobody`. It ends with this process, however this process ends. Without a
 * Postgres, rejects with the command that installs one; if the server does not start, with its output.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<LocalPostgres> {
  const user = unprivilegedUser();
  const dir = await createTempDir('postgres', { owner: user });
  try {
    const binaries = await postgresBinaries(dir, user);
    const password = randomBytes(12).toString('hex');
    await initdb(binaries, dir, password, user);
    const settings = { ...defaultSettings, ...options.settings };
    return await onFreePort(async (port) => {
      const server = new LocalPostgres({ binaries, dir, password, user, settings, port });
      await server.start();
      return server;
    });
  } catch (error) {
    await removeTempDir(dir);
    throw error;
  }
}

async function initdb(
  binaries: PostgresBinaries,
  dir: string,
  password: string,
  user: SystemUser | undefined,
): Promise<void> {
  const passwordFile = join(dir, 'password');
  await writeFile(passwordFile, password, { mode: 0o644 });
  const cluster = [
    '-D',
    join(dir, 'data'),
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
  ];
  // `--no-sync`: initdb need not survive a crash of the machine; the server itself does sync.
  const args = [...cluster, '--locale=C', '-E', 'UTF8', '--no-sync'];
  // On any signal its bootstrap server leaves shared memory behind, so it is left to finish, in about 1 s.
  await runCommand(binaries.initdb, args, { dir, user, timeoutMs: initdbTimeoutMs, endSignal: 'CONT' });
  await rm(passwordFile);
}

interface Cluster {
  readonly binaries: PostgresBinaries;
  readonly dir: string;
  readonly password: string;
  readonly user: SystemUser | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly port: number;
}

export class LocalPostgres implements PostgresServer {
  readonly #cluster: Cluster;
  #process: OwnedProcess | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  get url(): string {
    return this.#urlOf('postgres');
  }

  get port(): number {
    return this.#cluster.port;
  }

  get pid(): number {
    if (!this.#process) throw new Error(`Postgres on port ${this.port} was never started`);
    return this.#process.pid;
  }

  get version(): string {
    return this.#cluster.binaries.version;
  }

  get settings(): Readonly<Record<string, string>> {
    return this.#cluster.settings;
  }

  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    await this.#process?.end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  async start(): Promise<void> {
    if (this.#process?.running) return;
    const { binaries, dir, user, port, settings } = this.#cluster;
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const started = await OwnedProcess.start({
      command: binaries.postgres,
      args: ['-D', join(dir, 'data'), '-p', String(port), ...flags],
      cwd: dir,
      user,
      logFile: join(dir, 'postgres.log'),
      endSignal: 'QUIT',
    });
    this.#process = started;
    // Only this server has the password: no other server on the port can be mistaken for it.
    await started.ready(`Postgres on port ${port}`, () => answers(this.url), readyTimeoutMs);
  }

  async close(): Promise<void> {
    await this.stop('immediate');
    await removeTempDir(this.#cluster.dir);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async createDatabase(name: string = uniqueName('test')): Promise<string> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    } finally {
      await client.end();
    }
    return this.#urlOf(name);
  }

  /**
   * Starts another server with a copy of the data of this one, which must be stopped. `settings` override its
   * own.
   */
  async startCopy(
    settings: Readonly<Record<string, string>>,
    files: readonly string[],
  ): Promise<LocalPostgres> {
    const { user, dir: from } = this.#cluster;
    const dir = await createTempDir('postgres', { owner: user });
    try {
      const copy = ['-a', join(from, 'data'), join(dir, 'data')];
      await runCommand('cp', copy, { dir, user, timeoutMs: copyTimeoutMs });
      for (const file of files) await writeFile(join(dir, 'data', file), '');
      const merged = { ...this.settings, ...settings };
      return await onFreePort(async (port) => {
        const server = new LocalPostgres({ ...this.#cluster, dir, settings: merged, port });
        await server.start();
        return server;
      });
    } catch (error) {
      await removeTempDir(dir);
      throw error;
    }
  }

  #urlOf(database: string): string {
    return `postgres://postgres:${this.#cluster.password}@${host}:${this.port}/${encodeURIComponent(database)}`;
  }
}

/** Whether a Postgres, or a pooler in front of one, answers a query at `url` with its password. */
export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
