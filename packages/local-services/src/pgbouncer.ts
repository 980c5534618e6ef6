import { spawnSync } from 'node:child_process';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchDebianPackage } from './debian-package.js';
import { createTempDir, removeTempDir } from './isolation.js';
import { findOnPath, isExecutableFile, OwnedProcess, type SystemUser } from './owned-process.js';
import { onFreePort } from './ports.js';
import { unprivilegedUser } from './postgres-binary.js';
import { answers } from './postgres-server.js';

/** When a server connection goes back to the pool: at the end of the session, transaction or statement. */
export type PgBouncerMode = 'session' | 'transaction' | 'statement';

export interface PgBouncerOptions {
  /** The `postgres://` URL of the database behind it, with the password that its clients use too. */
  readonly database: string;
  readonly mode: PgBouncerMode;
  /** Connections to the server, 1 or more; 2 by default. */
  readonly poolSize?: number;
}

/** A PgBouncer on 127.0.0.1, owned by whoever started it. */
export interface PgBouncer extends AsyncDisposable {
  /** The URL of the database through this pooler. */
  readonly url: string;
  readonly port: number;
  /** Such as `1.18.0`. */
  readonly version: string;
  /** Ends it with SIGKILL, and with it all its connections. No effect if it is down. */
  kill(): Promise<void>;
  /** Starts it again on the same port. No effect while it is running. Resolves when it serves queries. */
  start(): Promise<void>;
  /** Ends it and removes its folder. Idempotent. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const readyTimeoutMs = 30_000;

const PACKAGE = {
  name: 'pgbouncer',
  executable: 'usr/sbin/pgbouncer',
  elsewhere: { brew: 'pgbouncer', apk: 'pgbouncer' },
};

/**
 * Starts a PgBouncer in front of a Postgres. Clients log in with the user and password of `database`. For
 * root it becomes `postgres` or `nobody`. It ends with this process, however this process ends.
 */
export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const program = await findProgram();
  const user = unprivilegedUser();
  const dir = await createTempDir('pgbouncer', { owner: user });
  try {
    return await onFreePort(async (port) => {
      await writeConfig(dir, port, options, user);
      const url = new URL(options.database);
      url.host = `${host}:${port}`;
      const pooler = new LocalPgBouncer({ program, dir, port, url: url.href });
      await pooler.start();
      return pooler;
    });
  } catch (error) {
    await removeTempDir(dir);
    throw error;
  }
}

interface Program {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
}

async function findProgram(): Promise<Program> {
  // Debian installs it where the PATH of an ordinary user does not lead.
  const installed = findOnPath('pgbouncer') ?? ['/usr/sbin/pgbouncer'].find(isExecutableFile);
  const program = installed ? { command: installed, env: {} } : await fetchDebianPackage(PACKAGE);
  const { stdout } = spawnSync(program.command, ['--version'], {
    env: { PATH: process.env.PATH, ...program.env },
    encoding: 'utf8',
  });
  const version = /PgBouncer (\S+)/.exec(stdout ?? '')?.[1];
  if (version === undefined)
    throw new Error(`${program.command} does not run: ${PACKAGE.name} is not usable`);
  return { ...program, version };
}

async function writeConfig(
  dir: string,
  port: number,
  { database, mode, poolSize = 2 }: PgBouncerOptions,
  user: SystemUser | undefined,
): Promise<void> {
  const { hostname, port: serverPort, username, password } = new URL(database);
  const settings = {
    listen_addr: host,
    listen_port: port,
    unix_socket_dir: '',
    pool_mode: mode,
    default_pool_size: poolSize,
    auth_type: 'scram-sha-256',
    auth_file: join(dir, 'users'),
    // What it connects to may be down for a while; the default is to wait 15 s before the next attempt.
    server_login_retry: 0.1,
    // It starts as root, who may be the only one to read the program, and continues as this user.
    ...(user && { user: nameOf(user) }),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const target = `* = host=${hostname} port=${serverPort || 5432}`;
  const files = {
    'pgbouncer.ini': `[databases]\n${target}\n\n[pgbouncer]\n${lines.join('\n')}\n`,
    users: `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(dir, name), text, { mode: 0o600 });
    if (user) await chown(join(dir, name), user.uid, user.gid);
  }
}

function nameOf({ uid }: SystemUser): string {
  return spawnSync('id', ['-nu', String(uid)], { encoding: 'utf8' }).stdout.trim();
}

interface Place {
  readonly program: Program;
  readonly dir: string;
  readonly port: number;
  readonly url: string;
}

class LocalPgBouncer implements PgBouncer {
  readonly #place: Place;
  #process: OwnedProcess | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  get url(): string {
    return this.#place.url;
  }

  get port(): number {
    return this.#place.port;
  }

  get version(): string {
    return this.#place.program.version;
  }

  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  async start(): Promise<void> {
    if (this.#process?.running) return;
    const { program, dir, url, port } = this.#place;
    const started = await OwnedProcess.start({
      command: program.command,
      args: [join(dir, 'pgbouncer.ini')],
      cwd: dir,
      env: program.env,
      logFile: join(dir, 'pgbouncer.log'),
      endSignal: 'KILL',
    });
    this.#process = started;
    await started.ready(`PgBouncer on port ${port}`, () => answers(url), readyTimeoutMs);
  }

  async close(): Promise<void> {
    await this.kill();
    await removeTempDir(this.#place.dir);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
