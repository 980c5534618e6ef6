import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { TicketRequest } from './ticket-server.js';

/** A set-up of the references that share a store. */
export interface TicketContext {
  readonly port: number;
  readonly name: string;
}

/** One connection to a ticket server. Answers come in the order of the requests. */
export class TicketClient {
  readonly #socket: Socket;
  readonly #name: string;
  readonly #waiting: ((answer: number) => void)[] = [];

  static async open({ port, name }: TicketContext): Promise<TicketClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new TicketClient(socket, name);
  }

  private constructor(socket: Socket, name: string) {
    this.#socket = socket;
    this.#name = name;
    socket.setNoDelay(true);
    createInterface({ input: socket }).on('line', (line) => this.#waiting.shift()?.(Number(line)));
  }

  /** Resolves with the counter after `count` was added. */
  add(count: number): Promise<number> {
    return this.#ask({ op: 'add', name: this.#name, count });
  }

  get(): Promise<number> {
    return this.#ask({ op: 'get', name: this.#name });
  }

  set(value: number): Promise<number> {
    return this.#ask({ op: 'set', name: this.#name, value });
  }

  /** Requests under way are never answered. */
  close(): void {
    this.#socket.destroy();
  }

  #ask(request: TicketRequest): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#socket.write(`${JSON.stringify(request)}\n`);
    });
  }
}
