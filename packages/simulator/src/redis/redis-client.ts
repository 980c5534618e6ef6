import type { Random } from '../random.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';
import { RedisError, type Reply, Status, toClient } from './commands.js';
import { CONNECTION_CLOSED, type Outcome, type ProcessClient, SendingClient } from './process-client.js';
import type { RedisNode } from './redis-node.js';

export interface RedisClientOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly trace: Trace;
  /** The process that uses the client. */
  readonly owner: Owner;
  /** The server to connect to; undefined while there is none. */
  readonly resolve: () => RedisNode | undefined;
  /** Whether to resend commands whose replies were lost, as ioredis does by default. */
  readonly resends: boolean;
  /** How often a command is sent again before it fails. */
  readonly maxResends: number;
  /** Whether to reconnect and resend a command if a server says that it is a replica. */
  readonly reconnectsOnReadonly: boolean;
  /**
   * Whether to fail commands at once if it cannot send them, as the connections of an ioredis `Cluster` do.
   */
  readonly givesUpUnconnected?: boolean;
}

/** One request to the client: one command, or a pipeline. */
interface Request {
  readonly commands: readonly (readonly string[])[];
  readonly outcomes: Outcome[];
  readonly done: (outcomes: Outcome[]) => void;
  resends: number;
}

/** One TCP connection. */
interface Connection {
  readonly node: RedisNode;
  /** The process at that address that it connects to: a later one does not know the connection. */
  readonly incarnation: number;
  /** Requests that still wait for replies, in the order in which they were sent. */
  readonly waiting: Request[];
  open: boolean;
  /** Replies are lost from now on. */
  swallows: boolean;
  /** After the end, the server still executes what was in transit. */
  lingers: boolean;
  /** The earliest arrival times of the next command and reply, to keep their order. */
  lastArrival: number;
  lastReply: number;
  /** The server's offset after the last write over this connection. */
  lastWrite: number;
  /** Whether the previous command was `ASKING`. */
  asking: boolean;
}

/**
 * A client that behaves like ioredis: it sends commands in order over one connection, resends those without a
 * reply over the next one, and fails pipelines that were answered in part.
 */
export class RedisClient extends SendingClient implements ProcessClient {
  /** The time in transit of a command or a reply, in milliseconds: from, to. */
  latency: readonly [number, number] = [0.1, 1];
  /** Nothing is delivered before this time. */
  stalledUntil = 0;
  readonly #options: RedisClientOptions;
  readonly #queue: Request[] = [];
  /** What the server has yet to execute, also over connections that have ended. */
  readonly #onTheirWay = new Set<readonly string[]>();
  /** The probability that a connection breaks with a reply in transit, until a given time. */
  #loss = { share: 0, until: 0 };
  #connection: Connection | undefined;
  #connecting = false;

  constructor(options: RedisClientOptions) {
    super();
    this.#options = options;
  }

  isConnectedTo(node: RedisNode): boolean {
    return this.#connection?.node === node;
  }

  get inTransit(): readonly (readonly string[])[] {
    const requests = [...this.#queue, ...(this.#connection?.waiting ?? [])];
    return [...this.#onTheirWay, ...requests.flatMap(({ commands }) => commands)];
  }

  /** Until a given time, a share of the replies is lost, each with its connection. */
  loses(share: number, until: number): void {
    this.#loss = { share, until };
  }

  /** Ends the connection. The client reconnects after `pauseMs`. */
  reset(pauseMs: number): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    connection.open = false;
    connection.lingers = this.#options.random.chance(0.5);
    this.#connection = undefined;
    const { resends, maxResends } = this.#options;
    const again: Request[] = [];
    for (const request of connection.waiting) {
      // ioredis fails a pipeline that was answered in part.
      if (resends && request.outcomes.length === 0 && request.resends < maxResends) {
        request.resends++;
        again.push(request);
      } else this.#giveUp(request);
    }
    this.#queue.unshift(...again);
    this.#connectAfter(pauseMs);
  }

  send(commands: readonly (readonly string[])[]): Promise<Outcome[]> {
    return new Promise((done) => {
      this.#queue.push({ commands, outcomes: [], done, resends: 0 });
      if (this.#connection === undefined) this.#connectAfter(0);
      else this.#flush(this.#connection);
    });
  }

  #connectAfter(pauseMs: number): void {
    if (this.#connecting) return;
    this.#connecting = true;
    const { scheduler, owner, resolve } = this.#options;
    scheduler.schedule(scheduler.now + pauseMs, owner, () => {
      this.#connecting = false;
      const node = resolve();
      if (node?.alive !== true) {
        if (this.#options.givesUpUnconnected === true) {
          for (const request of this.#queue.splice(0)) this.#giveUp(request);
          return;
        }
        this.#connectAfter(20 + this.#options.random.next() * 80);
        return;
      }
      const connection: Connection = {
        node,
        incarnation: node.incarnation,
        waiting: [],
        open: true,
        swallows: false,
        lingers: false,
        lastArrival: 0,
        lastReply: 0,
        lastWrite: 0,
        asking: false,
      };
      this.#connection = connection;
      this.#flush(connection);
    });
  }

  #flush(connection: Connection): void {
    for (const request of this.#queue.splice(0)) {
      connection.waiting.push(request);
      this.#deliver(connection, request, 0);
    }
  }

  /** Sends command number `index` of a request, followed by the rest. */
  #deliver(connection: Connection, request: Request, index: number): void {
    const { scheduler } = this.#options;
    const at = Math.max(scheduler.now + this.#draw(), this.stalledUntil, connection.lastArrival);
    connection.lastArrival = at;
    for (const command of request.commands) this.#onTheirWay.add(command);
    scheduler.schedule(at, scheduler.world, () => this.#arrive(connection, request, index), true);
  }

  #arrive(connection: Connection, request: Request, index: number): void {
    const { node } = connection;
    const { scheduler } = this.#options;
    if (isGone(connection) || (!connection.open && !connection.lingers)) {
      for (const command of request.commands) this.#onTheirWay.delete(command);
      return;
    }
    if (node.stalledUntil > scheduler.now) {
      scheduler.schedule(
        node.stalledUntil,
        scheduler.world,
        () => this.#arrive(connection, request, index),
        true,
      );
      return;
    }
    const command = request.commands[index] ?? [];
    this.#onTheirWay.delete(command);
    if (command[0] === 'wait') {
      this.#wait(connection, request, index, scheduler.now + Number(command[2]));
      return;
    }
    const before = node.offset;
    const { asking } = connection;
    connection.asking = command[0] === 'asking';
    const reply = connection.asking ? new Status('OK') : node.execute(command, { asking });
    if (node.offset > before) connection.lastWrite = node.offset;
    this.#options.trace.command(this.#options.owner.name, node.name, command, reply);
    this.#answer(connection, request, index, reply);
  }

  /** `WAIT`, which blocks its connection until enough replicas have confirmed or the time is up. */
  #wait(connection: Connection, request: Request, index: number, until: number): void {
    const { scheduler } = this.#options;
    const { node } = connection;
    if (isGone(connection)) return;
    const wanted = Number(request.commands[index]?.[1]);
    if (node.role === 'slave') {
      const refused = 'ERR WAIT cannot be used with replica instances.';
      this.#answer(connection, request, index, new RedisError(refused));
      return;
    }
    const count = node.replicasWith(connection.lastWrite);
    if (count >= wanted || scheduler.now >= until) this.#answer(connection, request, index, count);
    else {
      const at = Math.min(until, scheduler.now + 2);
      scheduler.schedule(at, scheduler.world, () => this.#wait(connection, request, index, until), true);
    }
  }

  #answer(connection: Connection, request: Request, index: number, reply: Reply): void {
    const { scheduler, owner, random } = this.#options;
    if (
      connection.open &&
      !connection.swallows &&
      scheduler.now < this.#loss.until &&
      random.chance(this.#loss.share)
    ) {
      connection.swallows = true;
      scheduler.schedule(scheduler.now + random.magnitude(1, 200), scheduler.world, () => {
        if (connection.open) this.reset(random.magnitude(1, 50));
      });
    }
    if (connection.open && !connection.swallows) {
      const at = Math.max(scheduler.now + this.#draw(), this.stalledUntil, connection.lastReply);
      connection.lastReply = at;
      scheduler.schedule(at, owner, () => this.#receive(connection, request, index, reply));
    }
    if (index + 1 < request.commands.length) this.#arrive(connection, request, index + 1);
  }

  #receive(connection: Connection, request: Request, index: number, reply: Reply): void {
    if (!connection.open || connection.swallows) return;
    if (
      reply instanceof RedisError &&
      reply.message.startsWith('READONLY') &&
      this.#options.reconnectsOnReadonly
    ) {
      this.reset(1);
      return;
    }
    request.outcomes[index] = reply instanceof RedisError ? [reply, undefined] : [null, toClient(reply)];
    if (index + 1 < request.commands.length) return;
    connection.waiting.shift();
    request.done(request.outcomes);
  }

  #giveUp(request: Request): void {
    const { scheduler, owner } = this.#options;
    scheduler.schedule(scheduler.now, owner, () => {
      for (let i = request.outcomes.length; i < request.commands.length; i++) {
        request.outcomes[i] = [new Error(CONNECTION_CLOSED), undefined];
      }
      request.done(request.outcomes);
    });
  }

  #draw(): number {
    const [from, to] = this.latency;
    return from + this.#options.random.next() * (to - from);
  }
}

function isGone({ node, incarnation }: Connection): boolean {
  return !node.alive || node.incarnation !== incarnation;
}
