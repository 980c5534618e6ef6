import { join } from 'node:path';
import { onFreePort } from './on-free-port.js';
import { OwnedProcess } from './owned-process.js';
import { type RedisBinary, redisBinary } from './redis-binary.js';
import { createTempDir, removeTempDir } from './temp-dir.js';
import { withRedis } from './with-redis.js';

/** A `redis-server` of its own on 127.0.0.1, owned by whoever started it. Without a password. */
export interface RedisServer extends AsyncDisposable {
  /** `redis://127.0.0.1:<port>` */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Of the running process, or of the last one; another after `restart()`. */
  readonly pid: number;
  /** Where `dump.rdb` and the append-only files are. */
  readonly dir: string;
  /** Such as `7.0.15`. */
  readonly version: string;
  /** SIGKILL, and waits for the end. No effect when it is down. */
  kill(): Promise<void>;
  /** SIGTERM, and waits for the end; SIGKILL after 15 s. Saves only if `args` configure it. */
  stop(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** Starts it again, same port, same data folder; stops it first if it runs. Resolves when it answers. */
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
 * Starts `redis-server` with the command line that `args` gives for its port and folder, and waits until it
 * answers PING. A free port and a temporary folder are found where none is named.
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

/** Asks for the pid too: another server may have taken the port in the same moment, and would answer PING. */
async function answers(url: string, pid: number): Promise<boolean> {
  try {
    return await withRedis(url, async (client) => {
      await client.ping();
      return (await client.info('server')).includes(`process_id:${pid}\r\n`);
    });
  } catch (error) {
    // With `--requirepass` the refusal is the sign of life.
    return error instanceof Error && error.message.startsWith('NOAUTH');
  }
}
