import { RedisError, type Reply, toClient } from './redis/commands.js';

export interface TraceLine {
  readonly atMs: number;
  /** The process that did it or to which it happened, or `world`. */
  readonly who: string;
  readonly what: string;
  /** Present for a command that a server executed. */
  readonly command?: ExecutedCommand;
}

export interface ExecutedCommand {
  /** The arguments after the key. */
  readonly args: readonly string[];
  readonly reply: Reply;
}

/** Everything that happened in a run: always as a hash, and as lines on request. */
export class Trace {
  /** Undefined: only the hash is kept. */
  readonly lines: TraceLine[] | undefined;
  readonly #now: () => number;
  #low = 0x811c9dc5;
  #high = 0x01000193;

  constructor(now: () => number, { keep }: { readonly keep: boolean }) {
    this.#now = now;
    this.lines = keep ? [] : undefined;
  }

  /** 16 hexadecimal digits: two runs with the same digits did the same things at the same times. */
  get hash(): string {
    return hex(this.#high) + hex(this.#low);
  }

  add(who: string, what: string, command?: ExecutedCommand): void {
    const atMs = this.#now();
    this.#mixNumber(atMs);
    this.#mix(who);
    this.#mix(what);
    this.lines?.push({ atMs, who, what, ...(command && { command }) });
  }

  command(who: string, node: string, command: readonly string[], reply: Reply): void {
    const [name = '', script = '', , , ...args] = command;
    // Of a script that is sent as a whole, the first characters suffice: its reply shows what it did.
    const what = `${node} ${name} ${script.slice(0, 8)} ${args.join(' ')} -> ${shown(reply)}`;
    this.add(who, what, { args, reply });
  }

  #mixNumber(value: number): void {
    const whole = Math.floor(value);
    this.#low = Math.imul(this.#low ^ whole, 2654435761);
    this.#high = Math.imul(this.#high ^ ((value - whole) * 2 ** 32), 1597334677);
  }

  #mix(text: string): void {
    let [low, high] = [this.#low, this.#high];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      low = Math.imul(low ^ code, 2654435761);
      high = Math.imul(high ^ code, 1597334677);
    }
    this.#low = low ^ (high >>> 16);
    this.#high = high ^ (low >>> 13);
  }
}

function shown(reply: Reply): string {
  if (reply instanceof RedisError) return reply.message;
  return Array.isArray(reply) ? `[${reply.map(shown).join(' ')}]` : String(toClient(reply));
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
