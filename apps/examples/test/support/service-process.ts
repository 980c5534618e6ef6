import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const GRACEFUL_SHUTDOWN = new URL('../../src/recipes/graceful-shutdown.ts', import.meta.url);
export const WHOLE_SERVICE = new URL('../../src/recipes/whole-service.ts', import.meta.url);
const tsx = import.meta.resolve('tsx');

/** The order service as a process of its own: the program of the recipe for a graceful shutdown. */
export class ServiceProcess implements AsyncDisposable {
  readonly origin: string;
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #exited: Promise<unknown[]>;

  private constructor(child: ChildProcess, lines: Interface, exited: Promise<unknown[]>, port: string) {
    this.#child = child;
    this.#lines = lines;
    this.#exited = exited;
    this.origin = `http://127.0.0.1:${port}`;
  }

  /**
   * Starts it in the folder of its config, to be not ready for `drainMs` before it closes, with more
   * variables in its environment; resolves once it listens, on loopback unless `HOST` is among them. By
   * default it is the program of the recipe for a graceful shutdown.
   */
  static async start(
    cwd: string,
    drainMs = 0,
    environment: Readonly<Record<string, string | undefined>> = {},
    recipe = GRACEFUL_SHUTDOWN,
  ): Promise<ServiceProcess> {
    const program = fileURLToPath(recipe);
    const child = spawn(process.execPath, ['--import', tsx, program], {
      cwd,
      env: { HOST: '127.0.0.1', ...environment, PATH: process.env.PATH, DRAIN_MS: String(drainMs) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines = createInterface(child.stdout);
    const [line] = await Promise.race([
      once(lines, 'line') as Promise<[string]>,
      exited.then(([code]) => Promise.reject(new Error(`the service ended with ${code} before it listened`))),
    ]);
    return new ServiceProcess(child, lines, exited, line.replace('listening on ', ''));
  }

  /** Asks it to end; resolves when it has begun to. */
  async terminate(): Promise<void> {
    const line = once(this.#lines, 'line');
    this.#child.kill('SIGTERM');
    await line;
  }

  /** Resolves with whether it accepts no more connections, perhaps only a moment after `terminate`. */
  async refuses(): Promise<boolean> {
    const { hostname: host, port } = new URL(this.origin);
    for (let attempts = 0; attempts < 200; attempts++) {
      const socket = connect({ host, port: Number(port) });
      const accepted = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (!accepted) return true;
      await sleep(20);
    }
    return false;
  }

  /** Resolves with its exit code and the signal that ended it, one of them null. */
  exit(): Promise<unknown[]> {
    return this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
