import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { onFreePort } from './on-free-port.js';
import { OwnedProcess } from './owned-process.js';
import { type PostgresBinaries, postgresBinaries } from './postgres-binary.js';
import { runCommand } from './run-command.js';
import { type SystemUser, unprivilegedUser } from './system-user.js';
import { createTempDir, removeTempDir } from './temp-dir.js';
import { uniqueName } from './unique-name.js';

/** How a Postgres is started. */
export interface PostgresOptions {
  /** Server settings by name, above the defaults: `{ synchronous_commit: 'off' }`. `fsync` is on. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A Postgres of its own on 127.0.0.1, owned by whoever started it. */
export interface PostgresServer extends AsyncDisposable {
  /** Of the database `postgres`, as superuser, with a random password. */
  readonly url: string;
  readonly port: number;
  /** Of the running postmaster, or of the last one; another after `start()`. */
  readonly pid: number;
  /** Such as `15.13`. */
  readonly version: string;
  /** What it was started with, defaults included. */
  readonly settings: Readonly<Record<string, string>>;
  /**
   * `fast` ends the connections and writes a checkpoint; `immediate` ends like a power cut of the process,
   * and the next start recovers from the log. Waits for the end. No effect when it is down.
   */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again, same port, same data. No effect while it runs. Resolves when it accepts queries. */
  start(): Promise<void>;
  /** Ends it at once and removes its folder. Idempotent. */
  close(): Promise<void>;
  /** Creates an empty database and gives its URL; a unique name by default. */
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
  // In the data folder rather than in /dev/shm, so that removing the folder removes everything.
  dynamic_shared_memory_type: 'mmap',
};

/**
 * Creates a Postgres cluster in a temporary folder, starts it and waits until it accepts queries: 1 to 2 s.
 * Under root it runs as `postgres` or `nobody`. It ends with this process, however that ends. Rejects when
 * there is no Postgres, with the command that mends it, or with what the server printed.
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
  // `--no-sync`: a crash of the machine during initdb is nothing to survive; the server itself does sync.
  const args = [...cluster, '--locale=C', '-E', 'UTF8', '--no-sync'];
  // Its bootstrap server leaves shared memory behind on every signal, so it may come
  // to its end, in about 1 s.
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
    // The password is this server's alone, so that nobody else on the port can pass for it.
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
    await client.connect();
    try {
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    } finally {
      await client.end();
    }
    return this.#urlOf(name);
  }

  /** Another server with the data of this one, which must be stopped, under settings above its own. */
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

async function answers(url: string): Promise<boolean> {
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
