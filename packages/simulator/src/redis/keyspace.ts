export type RedisValue = string | Map<string, string>;

/** The data of a Redis process: strings and hashes. */
export class Keyspace {
  #values = new Map<string, RedisValue>();
  /** When keys with a time to live end, in milliseconds of the server's clock. */
  #ends = new Map<string, number>();

  get(key: string): RedisValue | undefined {
    return this.#values.get(key);
  }

  /** Without `endsAt`, the key stays. */
  set(key: string, value: RedisValue, endsAt?: number): void {
    this.#values.set(key, value);
    if (endsAt === undefined) this.#ends.delete(key);
    else this.#ends.set(key, endsAt);
  }

  delete(key: string): boolean {
    this.#ends.delete(key);
    return this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
    this.#ends.clear();
  }

  /** Deletes the keys whose time is over. */
  expire(timeMs: number): void {
    for (const [key, endsAt] of this.#ends) if (endsAt <= timeMs) this.delete(key);
  }

  keys(): string[] {
    return [...this.#values.keys()];
  }

  copy(): Keyspace {
    const copy = new Keyspace();
    for (const [key, value] of this.#values)
      copy.set(key, typeof value === 'string' ? value : new Map(value), this.#ends.get(key));
    return copy;
  }
}

export const SLOTS = 16_384;

/**
 * The hash slot of a key: CRC16 (XMODEM) of the text between the first braces, or of the whole key if there
 * is none.
 */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const tag = close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (let i = 0; i < tag.length; i++) {
    crc ^= tag.charCodeAt(i) << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % SLOTS;
}

/** The keys of a command, which decide whether a node of a Cluster serves it. */
export function keysOf(args: readonly string[]): readonly string[] {
  const name = (args[0] ?? '').toUpperCase();
  if (name === 'EVAL' || name === 'EVALSHA') return args.slice(3, 3 + Number(args[2]));
  if (name === 'DEL' || name === 'EXISTS' || name === 'MGET') return args.slice(1);
  if (name === 'MSET') return args.slice(1).filter((_, i) => i % 2 === 0);
  return /^(H?GET|HMGET|HGETALL|H?SET|TYPE)$/.test(name) ? args.slice(1, 2) : [];
}

/** The `keyPrefix` of the processes that use the copy of a hash. */
export const COPY_PREFIX = 'copy:';

/** The key at which the dispenser keeps a sequence. */
export function keyOf(name: string, prefix = 'ids:'): string {
  return `${prefix}{${name}}`;
}
