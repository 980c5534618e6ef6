import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { createTempDir, removeTempDir, uniqueName } from './isolation.js';
import { type MariadbBinary, mariadbBinary, systemTables } from './mariadb-binary.js';
import { OwnedProcess, runCommand } from './owned-process.js';
import { onFreePort } from './ports.js';

/** How to start a MariaDB. */
export interface MariadbOptions {
  /** Server settings by name, which override the defaults: `{ sync_binlog: '0' }`. The binary log is off. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A separate MariaDB on 127.0.0.1, owned by whoever started it. */
export interface MariadbServer extends AsyncDisposable {
  /** A `mysql://` URL without a database, for a user with all rights and a random password. */
  readonly url: string;
  readonly port: number;
  /** The PID of the running server, or of the last one; changes with `start()`. */
  readonly pid: number;
  /** Such as `10.11.19`. */
  readonly version: string;
  /**
   * `fast` ends it in order; `immediate` kills it as a crash would, and the next start recovers from its log.
   * Waits for the end. No effect if it is down.
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
const user = 'ids';
const readyTimeoutMs = 60_000;
const bootstrapTimeoutMs = 60_000;

const defaultSettings = {
  bind_address: host,
  skip_name_resolve: 'ON',
  performance_schema: 'OFF',
  innodb_buffer_pool_size: '16M',
  innodb_log_file_size: '8M',
  // The default needs memory that containers often may not lock.
  innodb_use_native_aio: 'OFF',
  max_connections: '200',
};

/**
 * Creates a MariaDB in a temporary folder, starts it and waits until it accepts queries: about 3 s. It ends
 * with this process, however this process ends. Without a MariaDB, rejects with the command that installs
 * one; if the server does not start, with its output.
 */
export async function startMariadb(options: MariadbOptions = {}): Promise<MariadbServer> {
  const dir = await createTempDir('mariadb');
  try {
    const binary = await mariadbBinary();
    const password = randomBytes(12).toString('hex');
    await bootstrap(binary, dir, password);
    const settings = { ...defaultSettings, ...options.settings };
    return await onFreePort(async (port) => {
      const server = new LocalMariadb({ binary, dir, password, settings, port });
      await server.start();
      return server;
    });
  } catch (error) {
    await removeTempDir(dir);
    throw error;
  }
}

/** What every start of the server has in common. For root, the server wants to be told that it is meant. */
function commonArgs({ share }: MariadbBinary, dir: string): string[] {
  const args = ['--no-defaults', `--datadir=${join(dir, 'data')}`, `--tmpdir=${dir}`];
  const shared = [`--lc-messages-dir=${share}`, `--character-sets-dir=${join(share, 'charsets')}`];
  const files = [`--socket=${join(dir, 'socket')}`, `--pid-file=${join(dir, 'pid')}`];
  return [...args, ...shared, ...files, ...(process.getuid?.() === 0 ? ['--user=root'] : [])];
}

/**
 * Creates the system tables and the user. The server reads the SQL from its standard input, so this does
 * without the scripts and tools that other packages of the distribution bring.
 */
async function bootstrap(binary: MariadbBinary, dir: string, password: string): Promise<void> {
  const files = systemTables(binary.share) ?? [];
  const tables = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const sql = [
    'CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n',
    ...tables,
    `FLUSH PRIVILEGES;\nCREATE USER '${user}'@'%' IDENTIFIED BY '${password}';\n`,
    `GRANT ALL PRIVILEGES ON *.* TO '${user}'@'%' WITH GRANT OPTION;\n`,
    // The SQL of the system tables creates accounts without a password.
    `DELETE FROM mysql.global_priv WHERE User NOT IN ('${user}', 'mariadb.sys');\nFLUSH PRIVILEGES;\n`,
  ];
  const input = join(dir, 'bootstrap.sql');
  await writeFile(input, sql.join('\n'), { mode: 0o600 });
  // It need not survive a crash of the machine; the server itself does flush.
  const fast = [
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-log-file-size=8M',
    '--innodb-use-native-aio=OFF',
  ];
  const args = [...commonArgs(binary, dir), ...fast, '--bootstrap', '--skip-networking'];
  const command = ['-c', 'mkdir "$1" && shift && exec "$@" < "$0"'];
  await runCommand('/bin/sh', [...command, input, join(dir, 'data'), binary.command, ...args], {
    dir,
    env: binary.env,
    timeoutMs: bootstrapTimeoutMs,
  });
  await rm(input);
}

interface Instance {
  readonly binary: MariadbBinary;
  readonly dir: string;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly port: number;
}

class LocalMariadb implements MariadbServer {
  readonly #instance: Instance;
  #process: OwnedProcess | undefined;

  constructor(instance: Instance) {
    this.#instance = instance;
  }

  get url(): string {
    return `mysql://${user}:${this.#instance.password}@${host}:${this.port}/`;
  }

  get port(): number {
    return this.#instance.port;
  }

  get pid(): number {
    if (!this.#process) throw new Error(`MariaDB on port ${this.port} was never started`);
    return this.#process.pid;
  }

  get version(): string {
    return this.#instance.binary.version;
  }

  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    await this.#process?.end(mode === 'fast' ? 'SIGTERM' : 'SIGKILL');
  }

  async start(): Promise<void> {
    if (this.#process?.running) return;
    const { binary, dir, port, settings } = this.#instance;
    const flags = Object.entries(settings).map(([name, value]) => `--${name.replaceAll('_', '-')}=${value}`);
    const started = await OwnedProcess.start({
      command: binary.command,
      args: [...commonArgs(binary, dir), `--port=${port}`, ...flags],
      cwd: dir,
      env: binary.env,
      logFile: join(dir, 'mariadb.log'),
      endSignal: 'KILL',
    });
    this.#process = started;
    // Only this server has the password: no other server on the port can be mistaken for it.
    await started.ready(`MariaDB on port ${port}`, () => answers(this.url), readyTimeoutMs);
  }

  async close(): Promise<void> {
    await this.stop('immediate');
    await removeTempDir(this.#instance.dir);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  createDatabase(name?: string): Promise<string> {
    return createMysqlDatabase(this.url, name);
  }
}

/** Creates an empty database on the server at `url` and returns its URL; with a unique name by default. */
export async function createMysqlDatabase(url: string, name: string = uniqueName('test')): Promise<string> {
  const connection = await mysql.createConnection(url);
  try {
    await connection.query('CREATE DATABASE ??', [name]);
  } finally {
    await connection.end();
  }
  const own = new URL(url);
  own.pathname = encodeURIComponent(name);
  return own.href;
}

async function answers(url: string): Promise<boolean> {
  try {
    const connection = await mysql.createConnection({ uri: url, connectTimeout: 5_000 });
    connection.on('error', () => {});
    await connection.query('SELECT 1').finally(() => connection.destroy());
    return true;
  } catch {
    return false;
  }
}
