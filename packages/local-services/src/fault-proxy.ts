import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onFreePort } from './ports.js';
import { type Conditions, Relay, reset } from './relay.js';

/**
 * - `pass`: as if it were not there.
 * - `blackhole`: no data moves in either direction and no connection ends, even if the target dies; new
 *   connections are accepted and receive nothing. Data sent meanwhile arrives after the mode ends, as after a
 *   network partition.
 * - `refuse`: new connections are refused (ECONNREFUSED); live ones continue, see `cut()`.
 * - `swallow-replies`: the target receives everything and its replies are lost. Follow with `cut()`: a
 *   connection that has lost replies is useless.
 */
export type FaultMode = 'pass' | 'blackhole' | 'refuse' | 'swallow-replies';

/** A TCP proxy on 127.0.0.1 that misbehaves on demand. It does not keep the process alive. */
export interface FaultProxy extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Live connections. */
  readonly connections: number;
  /** `url('redis')`, or `url(server.url)` for the same URL with the proxy's host and port. */
  url(schemeOrUrl: string): string;
  /** For live and new connections; in force when it resolves. `pass` at the start. */
  setMode(mode: FaultMode): Promise<void>;
  /** Delays what arrives from now on by `ms` (0 or more), in each direction, in order. 0 at the start. */
  delay(ms: number): void;
  /** Connects new connections to another target, as after a failover; live ones stay, see `cut()`. */
  retarget(target: Address): void;
  /**
   * Sends `bytes` after the next reply for which `follows` is true, in one write: a server that ends a
   * connection right after an answer may do that. Once, on whichever connection comes first.
   */
  appendToReply(follows: (reply: Uint8Array) => boolean, bytes: Uint8Array): void;
  /**
   * Resets all live connections. The target still receives what was passed on; what was held or delayed is
   * lost.
   */
  cut(): void;
  /** Stops listening and cuts all connections. Idempotent. */
  close(): Promise<void>;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

const host = '127.0.0.1';

/** Starts a proxy on a free port. `target` need not run yet, and may be restarted. */
export async function startFaultProxy(options: { readonly target: Address }): Promise<FaultProxy> {
  return onFreePort(async (port) => {
    const proxy = new LocalFaultProxy(options.target, port);
    await proxy.listen();
    return proxy;
  });
}

class LocalFaultProxy implements FaultProxy {
  readonly host = host;
  readonly port: number;
  readonly #links = new Set<Link>();
  readonly #server: Server;
  #mode: FaultMode = 'pass';
  #delayMs = 0;
  #target: Address;
  #appendix: ((reply: Uint8Array) => Uint8Array | undefined) | undefined;

  constructor(target: Address, port: number) {
    this.port = port;
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const { host: targetHost, port: targetPort } = this.#target;
      const connectTarget = () =>
        connect({ host: targetHost, port: targetPort, allowHalfOpen: true, noDelay: true });
      const link = new Link(client, connectTarget, (direction) => this.#conditions(direction));
      this.#links.add(link);
      link.closed.then(() => this.#links.delete(link));
    });
    this.#server.unref();
  }

  async listen(): Promise<void> {
    this.#server.listen(this.port, host);
    await once(this.#server, 'listening');
  }

  retarget(target: Address): void {
    this.#target = target;
  }

  get connections(): number {
    return this.#links.size;
  }

  url(schemeOrUrl: string): string {
    if (!schemeOrUrl.includes('://')) return `${schemeOrUrl}://${host}:${this.port}`;
    const url = new URL(schemeOrUrl);
    url.host = `${host}:${this.port}`;
    return url.href;
  }

  async setMode(mode: FaultMode): Promise<void> {
    this.#mode = mode;
    for (const link of this.#links) link.update();
    if (mode === 'refuse') this.#server.close();
    else if (!this.#server.listening) await this.listen();
  }

  delay(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0)
      throw new RangeError(`delay ${ms}: 0 or more milliseconds are accepted`);
    this.#delayMs = ms;
  }

  appendToReply(follows: (reply: Uint8Array) => boolean, bytes: Uint8Array): void {
    let appended = false;
    this.#appendix = (reply) => {
      if (appended || !follows(reply)) return undefined;
      appended = true;
      return bytes;
    };
  }

  cut(): void {
    for (const link of this.#links) link.cut();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await Promise.all([...this.#links].map((link) => link.closed));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #conditions(direction: Direction): Conditions {
    return {
      delayMs: this.#delayMs,
      held: this.#mode === 'blackhole',
      discarded: this.#mode === 'swallow-replies' && direction === 'replies',
      appendix: direction === 'replies' ? this.#appendix : undefined,
    };
  }
}

type Direction = 'requests' | 'replies';

class Link {
  readonly closed: Promise<void>;
  readonly #client: Socket;
  readonly #connectTarget: () => Socket;
  readonly #conditions: (direction: Direction) => Conditions;
  #target: Socket | undefined;
  #relays: readonly Relay[] = [];
  #open = 1;
  #resolveClosed = () => {};

  constructor(client: Socket, connectTarget: () => Socket, conditions: (direction: Direction) => Conditions) {
    this.#client = client;
    this.#connectTarget = connectTarget;
    this.#conditions = conditions;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#track(client);
    this.update();
  }

  update(): void {
    // Connects to the target only when the first byte could reach it: in a black hole, nobody may notice that
    // the target is down.
    if (!this.#target && !this.#conditions('requests').held && !this.#client.destroyed) this.#start();
    for (const relay of this.#relays) relay.update();
  }

  cut(): void {
    reset(this.#client);
    this.#target?.destroy();
  }

  #start(): void {
    const target = this.#connectTarget();
    this.#target = target;
    this.#open += 1;
    this.#track(target);
    this.#relays = [
      new Relay(this.#client, target, () => this.#conditions('requests')),
      new Relay(target, this.#client, () => this.#conditions('replies')),
    ];
  }

  #track(socket: Socket): void {
    socket.unref();
    // 'close' follows an error, and is passed on as a reset.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#open -= 1;
      if (this.#open === 0) this.#resolveClosed();
    });
  }
}
