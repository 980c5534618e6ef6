import type { Socket } from 'node:net';

type Mark = 'end' | 'reset';

interface Parcel {
  /** In the milliseconds of performance.now(). */
  readonly due: number;
  readonly content: Buffer | Mark;
}

/** What the network currently does to the bytes of one direction. */
export interface Conditions {
  readonly delayMs: number;
  /** No data moves and none is lost, as if packets were dropped and sent again later. */
  readonly held: boolean;
  readonly discarded: boolean;
  /** What to send after `chunk`, in the same write; undefined: nothing. */
  readonly appendix?: ((chunk: Uint8Array) => Uint8Array | undefined) | undefined;
}

const maxQueuedBytes = 1 << 20;

/** Resets a connection, as if it had broken. */
export function reset(socket: Socket): void {
  // While its own FIN is in transit, the system refuses a reset and Node.js would leave the socket open
  // forever.
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}

/**
 * One direction of a connection. Bytes, the end and a reset all go through one queue, so their order is kept.
 */
export class Relay {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #conditions: () => Conditions;
  readonly #queue: Parcel[] = [];
  #queuedBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket, conditions: () => Conditions) {
    this.#from = from;
    this.#to = to;
    this.#conditions = conditions;
    from.on('data', (chunk: Buffer) => this.#enqueue(chunk));
    from.on('end', () => this.#enqueue('end'));
    from.on('close', (hadError) => hadError && this.#enqueue('reset'));
    to.on('drain', () => this.update());
    to.on('close', () => clearTimeout(this.#timer));
  }

  /** Passes on what is due under the current conditions. Call it whenever they change. */
  update(): void {
    clearTimeout(this.#timer);
    const { held, discarded, appendix } = this.#conditions();
    let wait: number | undefined;
    while (!held && !this.#to.destroyed && !this.#to.writableNeedDrain) {
      const [next] = this.#queue;
      if (!next) break;
      wait = next.due - performance.now();
      if (wait > 0) break;
      this.#queue.shift();
      this.#pass(next.content, discarded, appendix);
      wait = undefined;
    }
    if (wait !== undefined) this.#timer = setTimeout(() => this.update(), Math.ceil(wait));
    // A sender must notice a link that does not move, as it would notice full network buffers.
    if (this.#queuedBytes > maxQueuedBytes) this.#from.pause();
    else this.#from.resume();
  }

  #enqueue(content: Buffer | Mark): void {
    this.#queue.push({ due: performance.now() + this.#conditions().delayMs, content });
    if (typeof content !== 'string') this.#queuedBytes += content.length;
    this.update();
  }

  #pass(content: Buffer | Mark, discarded: boolean, appendix: Conditions['appendix']): void {
    if (content === 'end') this.#to.end();
    else if (content === 'reset') reset(this.#to);
    else {
      this.#queuedBytes -= content.length;
      if (discarded) return;
      const more = appendix?.(content);
      this.#to.write(more === undefined ? content : Buffer.concat([content, more]));
    }
  }
}
