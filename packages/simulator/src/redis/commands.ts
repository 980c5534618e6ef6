import type { Keyspace, RedisValue } from './keyspace.js';
import type { ServerInfo } from './server-info.js';

/** An error reply of Redis: its first word is its code. */
export class RedisError extends Error {
  override name = 'ReplyError';
}

/** A status such as `OK`, which is a table for Lua and a string for a client. */
export class Status {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A reply of a server. An integer is a number, a bulk string is a string, a missing value is null. */
export type Reply = null | number | string | Status | RedisError | Reply[];

/** Converts a reply for the caller of a client; an error at the top becomes a rejection. */
export function toClient(reply: Reply): unknown {
  if (reply instanceof Status) return reply.text;
  return Array.isArray(reply) ? reply.map(toClient) : reply;
}

/** The membership of a node in a Cluster. */
export interface Membership {
  /** The reply of `CLUSTER INFO`. */
  info(): string;
  /** Why the node refuses a command; `undefined` if it runs it. `asking`: after `ASKING`. */
  refusal(args: readonly string[], asking: boolean): RedisError | undefined;
  /** The same for a command in a script. */
  refusalInScript(args: readonly string[], asking: boolean): RedisError | undefined;
}

/** What a command can read and change on its server. */
export interface CommandContext {
  readonly keyspace: Keyspace;
  readonly info: ServerInfo;
  /** Milliseconds since 1970 on the server's clock, with fractions. */
  readonly timeMs: number;
  readonly cluster: Membership | undefined;
  /** Counts a write and sends it to the replicas. */
  wrote(effect: Effect): void;
}

/** The effect of a write, as replicas repeat it. */
export type Effect =
  | { readonly type: 'hset'; readonly key: string; readonly pairs: readonly string[] }
  /** `endsAt`: when they end, in milliseconds since 1970. */
  | { readonly type: 'set'; readonly pairs: readonly string[]; readonly endsAt?: number | undefined }
  | { readonly type: 'restore'; readonly key: string; readonly value: RedisValue }
  | { readonly type: 'del'; readonly keys: readonly string[] }
  | { readonly type: 'flush' };

type Command = (context: CommandContext, args: readonly string[]) => Reply;

/**
 * The commands. `least` is the minimum number of arguments, or with `exact` the only one, including the name.
 */
const COMMANDS: Readonly<
  Record<string, { readonly least: number; readonly exact?: boolean; readonly run: Command }>
> = {
  HGET: {
    least: 3,
    exact: true,
    run: ({ keyspace }, [, key = '', field = '']) => hashAt(keyspace, key)?.get(field) ?? null,
  },
  HMGET: {
    least: 3,
    run: ({ keyspace }, [, key = '', ...fields]) => {
      const hash = hashAt(keyspace, key);
      return fields.map((field) => hash?.get(field) ?? null);
    },
  },
  HGETALL: {
    least: 2,
    exact: true,
    run: ({ keyspace }, [, key = '']) => [...(hashAt(keyspace, key) ?? [])].flat(),
  },
  HSET: {
    least: 4,
    run: (context, [name = '', key = '', ...pairs]) => {
      if (pairs.length % 2 !== 0) throw wrongNumber(name);
      const before = hashAt(context.keyspace, key)?.size ?? 0;
      change(context, { type: 'hset', key, pairs });
      return (hashAt(context.keyspace, key)?.size ?? 0) - before;
    },
  },
  SET: {
    least: 3,
    run: (context, [, key = '', value = '', ...options]) => {
      change(context, { type: 'set', pairs: [key, value], endsAt: endOf(context, options) });
      return new Status('OK');
    },
  },
  MSET: {
    least: 3,
    run: (context, [name = '', ...pairs]) => {
      if (pairs.length % 2 !== 0) throw wrongNumber(name);
      change(context, { type: 'set', pairs });
      return new Status('OK');
    },
  },
  MGET: {
    least: 2,
    run: ({ keyspace }, [, ...keys]) =>
      keys.map((key) => {
        const value = keyspace.get(key);
        return typeof value === 'string' ? value : null;
      }),
  },
  GET: {
    least: 2,
    exact: true,
    run: ({ keyspace }, [, key = '']) => {
      const value = keyspace.get(key);
      if (value instanceof Map) throw wrongType();
      return value ?? null;
    },
  },
  DEL: {
    least: 2,
    run: (context, [, ...keys]) => {
      const present = keys.filter(
        (key, i) => context.keyspace.get(key) !== undefined && keys.indexOf(key) === i,
      );
      if (present.length > 0) change(context, { type: 'del', keys: present });
      return present.length;
    },
  },
  EXISTS: {
    least: 2,
    run: ({ keyspace }, [, ...keys]) => keys.filter((key) => keyspace.get(key) !== undefined).length,
  },
  FLUSHALL: {
    least: 1,
    run: (context) => {
      change(context, { type: 'flush' });
      return new Status('OK');
    },
  },
  TYPE: {
    least: 2,
    exact: true,
    run: ({ keyspace }, [, key = '']) => {
      const value = keyspace.get(key);
      return new Status(value === undefined ? 'none' : value instanceof Map ? 'hash' : 'string');
    },
  },
  TIME: {
    least: 1,
    exact: true,
    run: ({ timeMs }) => [String(Math.floor(timeMs / 1000)), String(Math.floor((timeMs % 1000) * 1000))],
  },
  CLUSTER: {
    least: 2,
    run: ({ cluster }, [, subcommand = '']) => {
      if (cluster === undefined) throw new RedisError('ERR This instance has cluster support disabled');
      if (subcommand.toUpperCase() === 'INFO') return cluster.info();
      throw new RedisError(`ERR unknown subcommand '${subcommand}'. Try CLUSTER HELP.`);
    },
  },
  INFO: { least: 1, run: ({ info }, [, ...sections]) => info.text(sections) },
};

const WRITES = new Set(['HSET', 'SET', 'MSET', 'DEL', 'FLUSHALL']);

export function isWrite(name: string): boolean {
  return WRITES.has(name);
}

/** Runs one command. Throws the `RedisError` that a server would reply with. */
export function runCommand(context: CommandContext, args: readonly string[]): Reply {
  const [name = ''] = args;
  const command = Object.hasOwn(COMMANDS, name.toUpperCase()) ? COMMANDS[name.toUpperCase()] : undefined;
  if (command === undefined) throw new RedisError(`ERR unknown command '${name}'`);
  if (args.length < command.least || (command.exact === true && args.length > command.least))
    throw wrongNumber(name);
  return command.run(context, args);
}

/** Applies a write, on the server that made it and on its replicas. */
export function apply(keyspace: Keyspace, effect: Effect): void {
  switch (effect.type) {
    case 'hset': {
      const { key, pairs } = effect;
      const hash = hashAt(keyspace, key) ?? new Map<string, string>();
      keyspace.set(key, hash);
      for (let i = 0; i < pairs.length; i += 2) hash.set(pairs[i] ?? '', pairs[i + 1] ?? '');
      return;
    }
    case 'set': {
      const { pairs, endsAt } = effect;
      for (let i = 0; i < pairs.length; i += 2) keyspace.set(pairs[i] ?? '', pairs[i + 1] ?? '', endsAt);
      return;
    }
    case 'restore':
      keyspace.set(effect.key, typeof effect.value === 'string' ? effect.value : new Map(effect.value));
      return;
    case 'del':
      for (const key of effect.keys) keyspace.delete(key);
      return;
    case 'flush':
      keyspace.clear();
  }
}

/** When a key ends that is set with `PX`. No other option is simulated. */
function endOf({ timeMs }: CommandContext, options: readonly string[]): number | undefined {
  if (options.length === 0) return undefined;
  const [name = '', ms = ''] = options;
  if (options.length !== 2 || name.toUpperCase() !== 'PX') throw new RedisError('ERR syntax error');
  if (!/^-?\d+$/.test(ms)) throw new RedisError('ERR value is not an integer or out of range');
  if (Number(ms) <= 0) throw new RedisError("ERR invalid expire time in 'set' command");
  return timeMs + Number(ms);
}

function change(context: CommandContext, effect: Effect): void {
  apply(context.keyspace, effect);
  context.wrote(effect);
}

function hashAt(keyspace: Keyspace, key: string): Map<string, string> | undefined {
  const value = keyspace.get(key);
  if (typeof value === 'string') throw wrongType();
  return value;
}

function wrongType(): RedisError {
  return new RedisError('WRONGTYPE Operation against a key holding the wrong kind of value');
}

function wrongNumber(name: string): RedisError {
  return new RedisError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
}
