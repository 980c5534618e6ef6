import { join } from 'node:path';
import { createTempDir, removeTempDir } from './isolation.js';
import { OwnedProcess } from './owned-process.js';
import { onFreePort } from './ports.js';
import { type RedisBinary, redisBinary } from './redis-binary.js';
import { withRedis } from './with-redis.js';

/** Where and how to start a Redis. */
export interface RedisOptions {
  /** Server options as on the command line, which override the defaults: `['--appendonly', 'yes']`. */
  readonly args?: readonly string[];
  /** 1 to 65535; a free one by default. */
  readonly port?: number;
  /** An existing folder for the data, which `close()` keeps; a temporary one by default. */
  readonly dir?: string;
}

const defaults = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];

/**
 * Starts a Redis that keeps its data in memory only, unless `args` say otherwise, and waits until it answers
 * PING. It ends with this process, however this process ends. Without a `redis-server`, rejects with the
 * command that installs one; if the server does not start, with its output.
 */
export function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const { args = [], ...place } = options;
  return startRedisProcess(place, (port, dir) => [
    ...['--bind', '127.0.0.1', '--port', String(port), '--dir', dir],
    ...defaults,
    ...args,
  ]);
}

/** A separate `redis-server` on 127.0.0.1 without a password, owned by whoever started it. */
export interface RedisServer extends AsyncDisposable {
  /** `redis://127.0.0.1:<port>` */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The PID of the running process, or of the last one; changes with `restart()`. */
  readonly pid: number;
  /** Where `dump.rdb` and the append-only files are. */
  readonly dir: string;
  /** Such as `7.0.15`. */
  readonly version: string;
  /** Sends SIGKILL and waits for the end. No effect if it is down. */
  kill(): Promise<void>;
  /** Sends SIGTERM and waits for the end; sends SIGKILL after 15 s. Saves data only if `args` say so. */
  stop(): Promise<void>;
  /** Sends Sends SIGSTOP: connections stay open and nothing answers. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /**
   * Starts it again with the same port and data folder; stops it first if it is running. Resolves when it
   * answers.
   */
  restart(): Promise<void>;
  /** Ends it at once and removes its temporary folder. Idempotent. */
  close(): Promise<void>;
}

export interface RedisPlace {
  readonly port?: number | undefined;
  readonly dir?: string | undefined;
}

const host = '127.0.0.1';
const readyTimeoutMs = 30_000;

/**
 * Starts `redis-server` with the arguments that `args` returns for its port and folder, and waits until it
 * answers PING. Without `place`, it gets a free port and a temporary folder.
 */
export async function startRedisProcess(
  place: RedisPlace,
  args: (port: number, dir: string) => readonly string[] | Promise<readonly string[]>,
): Promise<RedisServer> {
  const binary = await redisBinary();
  const dir = place.dir ?? (await createTempDir('redis'));
  const removeDir = place.dir ? async () => {} : () => removeTempDir(dir);
  const startOn = async (port: number) => {
    const server = new RedisProcess(binary, port, dir, await args(port, dir), removeDir);
    await server.restart();
    return server;
  };
  try {
    return place.port ? await startOn(place.port) : await onFreePort(startOn);
  } catch (error) {
    await removeDir();
    throw error;
  }
}

class RedisProcess implements RedisServer {
  readonly host = host;
  readonly port: number;
  readonly dir: string;
  readonly #binary: RedisBinary;
  readonly #args: readonly string[];
  readonly #removeDir: () => Promise<void>;
  #process: OwnedProcess | undefined;

  constructor(
    binary: RedisBinary,
    port: number,
    dir: string,
    args: readonly string[],
    removeDir: () => Promise<void>,
  ) {
    this.#binary = binary;
    this.port = port;
    this.dir = dir;
    this.#args = args;
    this.#removeDir = removeDir;
  }

  get url(): string {
    return `redis://${this.host}:${this.port}`;
  }

  get version(): string {
    return this.#binary.version;
  }

  get pid(): number {
    return this.#started.pid;
  }

  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#process?.end('SIGTERM');
  }

  pause(): void {
    this.#started.signal('SIGSTOP');
  }

  resume(): void {
    this.#started.signal('SIGCONT');
  }

  async restart(): Promise<void> {
    await this.stop();
    const started = await OwnedProcess.start({
      command: this.#binary.command,
      args: this.#args,
      env: this.#binary.env,
      cwd: this.dir,
      logFile: join(this.dir, 'redis.log'),
      endSignal: 'KILL',
    });
    this.#process = started;
    await started.ready(
      `redis-server on port ${this.port}`,
      () => answers(this.url, started.pid),
      readyTimeoutMs,
    );
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#removeDir();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #started(): OwnedProcess {
    if (!this.#process) throw new Error(`redis-server on port ${this.port} was never started`);
    return this.#process;
  }
}

/** Checks the PID too: another server may have taken the port at the same moment, and would answer PING. */
async function answers(url: string, pid: number): Promise<boolean> {
  try {
    return await withRedis(url, async (client) => {
      await client.ping();
      return (await client.info('server')).includes(`process_id:${pid}\r\n`);
    });
  } catch (error) {
    // With `--requirepass`, the refusal shows that the server is up.
    return error instanceof Error && error.message.startsWith('NOAUTH');
  }
}
