import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { TicketRequest } from './ticket-server.js';

/** A set-up of the references that share a store. */
export interface TicketContext {
  readonly port: number;
  readonly name: string;
  /** How far the clock by which days begin is ahead of UTC, in milliseconds; absent: no days. */
  readonly daysAheadMs?: number;
}

/** One connection to a ticket server. Answers about one counter come in the order of the requests. */
export class TicketClient {
  readonly #socket: Socket;
  readonly #name: string;
  readonly #waiting = new Map<number, (answer: number) => void>();
  #asked = 0;

  static async open({ port, name }: TicketContext): Promise<TicketClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new TicketClient(socket, name);
  }

  private constructor(socket: Socket, name: string) {
    this.#socket = socket;
    this.#name = name;
    socket.setNoDelay(true);
    createInterface({ input: socket }).on('line', (line) => {
      const [id = 0, value = 0] = line.split(' ').map(Number);
      this.#waiting.get(id)?.(value);
      this.#waiting.delete(id);
    });
  }

  /** Resolves with the counter after `count` was added. */
  add(count: number): Promise<number> {
    return this.ask({ op: 'add', name: this.#name, count });
  }

  get(): Promise<number> {
    return this.ask({ op: 'get', name: this.#name });
  }

  set(value: number): Promise<number> {
    return this.ask({ op: 'set', name: this.#name, value });
  }

  /** Requests under way are never answered. */
  close(): void {
    this.#socket.destroy();
  }

  /** For other requests, and other counters than that of the context. */
  ask(request: TicketRequest): Promise<number> {
    return new Promise((resolve) => {
      const id = ++this.#asked;
      this.#waiting.set(id, resolve);
      this.#socket.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }
}
