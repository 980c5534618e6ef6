import { Problem } from './problems.js';
import { Quota } from './quota.js';

export const RIGHTS = ['issue', 'lease', 'read', 'floor'] as const;

/**
 * What a client may do: `issue` ids, `lease` ranges of them, or only `read` how generators are, which each of
 * the others includes. `floor`: lease above a number of its own choice, which raises the sequence, and begin
 * a key at any.
 */
export type Right = (typeof RIGHTS)[number];

/** Who may use a server. */
export interface Client {
  /** For the log. */
  readonly name: string;
  /**
   * The SHA-256 hashes of its tokens, in 64 hexadecimal digits each. With several, a token can be replaced
   * while it is in use.
   */
  readonly tokens: readonly string[];
  readonly rights: readonly Right[];
  /** The generators it may use; by default all of them. */
  readonly generators?: readonly string[] | undefined;
  /** How many ids it may take per minute, over all generators; no limit by default. */
  readonly idsPerMinute?: number | undefined;
}

/** A client that was recognised, and what it may do. */
export interface Visitor {
  /** Undefined on a server without tokens. */
  readonly name: string | undefined;
  /** The most ids that it may ever take at once: those of a minute; `Infinity` without a quota. */
  readonly mostAtOnce: number;
  /** Whether it may use this generator at all. */
  sees(generator: string): boolean;
  may(right: Right, generator: string): boolean;
  /** Throws a 403 unless it may do this with the generator. */
  assertMay(right: Right, generator: string): void;
  /** Takes `count` ids from its quota; throws a 429 if they are too many now. */
  charge(count: number): void;
  /** Puts back what was not taken. */
  refund(count: number): void;
}

const SHA256_HEX = /^[0-9a-f]{64}$/;

interface Known {
  readonly hash: Uint8Array;
  readonly visitor: Visitor;
}

/** Recognises the clients of a server. */
export class Access {
  #known: readonly Known[] | undefined;
  /** By client and its `idsPerMinute`. */
  #quotas: ReadonlyMap<string, Quota> = new Map();

  /** Without `clients`, anybody may do everything but raise sequences. Throws a `TypeError` for a bad one. */
  constructor(clients: readonly Client[] | undefined) {
    if (clients !== undefined) this.replace(clients);
  }

  /**
   * From now on, these are the clients. What one of the same name and `idsPerMinute` has taken still counts.
   * Throws a `TypeError` for a bad one, and changes nothing.
   */
  replace(clients: readonly Client[]): void {
    for (const client of clients) assertClient(client);
    const quotas = new Map<string, Quota>();
    this.#known = clients.flatMap((client) => {
      const { name, tokens, idsPerMinute } = client;
      const key = JSON.stringify([name, idsPerMinute]);
      const quota =
        idsPerMinute === undefined
          ? undefined
          : (this.#quotas.get(key) ?? new Quota(idsPerMinute, performance.now()));
      if (quota !== undefined) quotas.set(key, quota);
      const visitor = visitorOf(client, quota);
      return tokens.map((hash) => ({ hash: bytesOf(hash), visitor }));
    });
    this.#quotas = quotas;
  }

  /** The client that sent this header; throws a 401 if there is none. */
  async visitor(authorization: string | undefined): Promise<Visitor> {
    if (this.#known === undefined) return ANYBODY;
    const [, token] = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? '') ?? [];
    const given = await sha256(token ?? '');
    let found: Visitor | undefined;
    // All of them are compared, each to its end, so that the time says nothing about any hash.
    for (const { hash, visitor } of this.#known) if (isSame(hash, given)) found = visitor;
    if (found !== undefined && token !== undefined) return found;
    throw new Problem(401, 'ERR_IDS_CONFIG', 'a valid token is needed, as Authorization: Bearer <token>');
  }
}

const ANYBODY: Visitor = {
  name: undefined,
  mostAtOnce: Number.POSITIVE_INFINITY,
  sees: () => true,
  may: (right) => right !== 'floor',
  assertMay: (right) => {
    if (right === 'floor') throw mayNotRaise('a server without tokens raises no sequences');
  },
  charge: () => undefined,
  refund: () => undefined,
};

function visitorOf({ name, rights, generators, idsPerMinute }: Client, quota: Quota | undefined): Visitor {
  const sees = (generator: string): boolean => generators === undefined || generators.includes(generator);
  const may = (right: Right, generator: string): boolean =>
    sees(generator) && (right === 'read' || rights.includes(right));
  return {
    name,
    mostAtOnce: idsPerMinute ?? Number.POSITIVE_INFINITY,
    sees,
    may,
    assertMay(right, generator) {
      if (may(right, generator)) return;
      if (right === 'floor')
        throw mayNotRaise('this client may not raise sequences: it has no right "floor"');
      const detail = `this client has no right "${right}" for generator ${JSON.stringify(generator)}`;
      throw new Problem(403, 'ERR_IDS_CONFIG', detail);
    },
    charge(count) {
      const seconds = quota?.take(count, performance.now()) ?? 0;
      if (seconds === 0) return;
      const detail = `this client may take ${idsPerMinute} ids per minute, and asks for ${count} more`;
      // What is more than a minute's quota never fits.
      if (seconds === Number.POSITIVE_INFINITY) throw new Problem(400, 'ERR_IDS_CONFIG', detail);
      throw new Problem(429, 'ERR_IDS_UNAVAILABLE', detail, seconds);
    },
    refund: (count) => quota?.putBack(count),
  };
}

/** For the client, the store went back and cannot be repaired by it. */
function mayNotRaise(why: string): Problem {
  return new Problem(403, 'ERR_IDS_REGRESSED', why);
}

function assertClient({ name, tokens, rights }: Client): void {
  const wrong = (what: string): TypeError => new TypeError(`client ${JSON.stringify(name)}: ${what}`);
  if (tokens.length === 0) throw wrong('must have at least one token');
  // Not the value: it may be a token by mistake.
  if (!tokens.every((token) => SHA256_HEX.test(token)))
    throw wrong('"tokens" must have the SHA-256 hash of each token, in 64 hexadecimal digits');
  const unknown = rights.find((right) => !RIGHTS.includes(right));
  if (unknown !== undefined || rights.length === 0)
    throw wrong(`"rights" must have some of ${RIGHTS.join(', ')}${unknown ? `, got "${unknown}"` : ''}`);
}

/** Undefined where only the Web's own is there, as in a Worker. */
const nodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto');

async function sha256(text: string): Promise<Uint8Array> {
  // The Web's own goes through the thread pool for each token: 15 times as long.
  if (nodeCrypto !== undefined) return nodeCrypto.createHash('sha256').update(text).digest();
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** In the same time, whatever is in them. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= (one[at] ?? 0) ^ (other[at] ?? 0);
  return difference === 0;
}
