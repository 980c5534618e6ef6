import { IdError } from '@ids/core';
import type { PipelineLike, RedisLike } from './scripts.js';
import { CALL_TIMEOUT_MS, SHARED_MS } from './time-limits.js';

/** How node-redis says that its signal aborted before a command was sent. */
const ABORTED = 'The command was aborted';

interface ScriptCall {
  readonly keys?: string[];
  readonly arguments?: string[];
}

/**
 * The part of a client, cluster, sentinel or pool of node-redis that the dispenser calls. It must be
 * connected, or about to be. It is never patched, configured or closed. Its `keyPrefix` applies, its type
 * mapping does not.
 */
export interface NodeRedisLike {
  /** False before `connect()` and after `close()`. */
  readonly isOpen: boolean;
  evalSha(sha1: string, call?: ScriptCall): Promise<unknown>;
  eval(script: string, call?: ScriptCall): Promise<unknown>;
  /** Called only with the option `waitReplicas`. */
  multi(): unknown;
  withCommandOptions(options: object): unknown;
}

/** Commands that node-redis sends together, over one connection. */
interface NodeRedisMulti {
  evalSha(sha1: string, call: ScriptCall): unknown;
  eval(script: string, call: ScriptCall): unknown;
  wait(replicas: number, milliseconds: number): unknown;
  execAsPipeline(): Promise<unknown[]>;
}

/** What only some kinds of clients have. */
interface Connection {
  readonly isReady?: boolean;
  readonly masters?: readonly { readonly client?: { readonly isReady?: boolean } | undefined }[];
}

export function isNodeRedisLike(value: unknown): value is NodeRedisLike {
  if (typeof value !== 'object' || value === null) return false;
  const { evalSha, eval: evaluate, multi, withCommandOptions } = value as Partial<NodeRedisLike>;
  return [evalSha, evaluate, multi, withCommandOptions].every((method) => typeof method === 'function');
}

/**
 * A client of node-redis, as the dispenser calls one of ioredis.
 *
 * node-redis keeps a command while there is no connection, but rejects it if the connection breaks after it
 * was sent; only a sentinel sends it again, to the primary of then. So a script may run twice or late, as
 * with ioredis, and loses ids. A command that could not be sent within its time limit is dropped: nobody
 * waits for its ids any more.
 */
export class NodeRedisDriver implements RedisLike {
  readonly #client: NodeRedisLike;
  /** The same client, with a time limit for commands that cannot be sent. */
  #calls: NodeRedisLike;
  /** The reading of `performance.now()` until which further calls may share that limit. */
  #limitedUntil = Number.NEGATIVE_INFINITY;
  readonly #failed: (error: Error) => void;

  /** `failed` is called with each error of a command, before its caller has it. */
  constructor(client: NodeRedisLike, failed: (error: Error) => void = () => undefined) {
    this.#client = client;
    this.#calls = client;
    this.#failed = failed;
  }

  /** In the words of ioredis. A cluster has a connection as long as one primary has, or needs none yet. */
  get status(): 'ready' | 'connecting' | 'end' {
    if (!this.#client.isOpen) return 'end';
    const { isReady, masters } = this.#client as Connection;
    const nodes = (masters ?? []).flatMap(({ client }) => client ?? []);
    const connected = nodes.length > 0 ? nodes.some((node) => node.isReady !== false) : isReady !== false;
    return connected ? 'ready' : 'connecting';
  }

  evalsha(sha1: string, numberOfKeys: number, ...rest: (string | number)[]): Promise<unknown> {
    return this.#run((client) => client.evalSha(sha1, callOf(numberOfKeys, rest)));
  }

  eval(script: string, numberOfKeys: number, ...rest: (string | number)[]): Promise<unknown> {
    return this.#run((client) => client.eval(script, callOf(numberOfKeys, rest)));
  }

  pipeline(): PipelineLike {
    const commands: ((multi: NodeRedisMulti) => unknown)[] = [];
    let firstKey = '';
    const and = (command: (multi: NodeRedisMulti) => unknown): PipelineLike => {
      commands.push(command);
      return pipeline;
    };
    const script = (numberOfKeys: number, rest: readonly (string | number)[]): ScriptCall => {
      const call = callOf(numberOfKeys, rest);
      firstKey = call.keys?.[0] ?? '';
      return call;
    };
    const pipeline: PipelineLike = {
      evalsha: (sha1, numberOfKeys, ...rest) => {
        const call = script(numberOfKeys, rest);
        return and((multi) => multi.evalSha(sha1, call));
      },
      eval: (text, numberOfKeys, ...rest) => {
        const call = script(numberOfKeys, rest);
        return and((multi) => multi.eval(text, call));
      },
      wait: (replicas, milliseconds) => and((multi) => multi.wait(replicas, milliseconds)),
      exec: () => this.#runPipeline(commands, firstKey),
    };
    return pipeline;
  }

  /** An error stands for all commands: node-redis does not say which of them failed. */
  async #runPipeline(
    commands: readonly ((multi: NodeRedisMulti) => unknown)[],
    key: string,
  ): Promise<[Error | null, unknown][]> {
    try {
      // A pipeline has no time limit while node-redis keeps it. This script, which does nothing, has one.
      if (this.status !== 'ready') await this.eval('return 0', 1, key);
      const replies = await this.#run((client) => {
        const multi = client.multi() as NodeRedisMulti;
        for (const command of commands) command(multi);
        return multi.execAsPipeline();
      });
      return (replies as unknown[]).map((reply) => [null, reply]);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      return commands.map(() => [failure, undefined]);
    }
  }

  /**
   * Calls share a signal, because a signal for each would cost a sixth of the ids. The option `timeout` would
   * cost as much, and begins anew when a sentinel sends a command again.
   */
  #limited(): NodeRedisLike {
    const now = performance.now();
    if (now > this.#limitedUntil) {
      const abortSignal = AbortSignal.timeout(CALL_TIMEOUT_MS);
      const options = { typeMapping: {}, timeout: undefined, abortSignal };
      this.#calls = this.#client.withCommandOptions(options) as NodeRedisLike;
      this.#limitedUntil = now + SHARED_MS;
    }
    return this.#calls;
  }

  async #run(call: (client: NodeRedisLike) => Promise<unknown>): Promise<unknown> {
    // A sentinel or cluster that is closed would fail with a TypeError, or try for ever.
    if (!this.#client.isOpen) {
      const message = 'the Redis client is closed: connect() was not called, or it was closed since';
      throw new IdError('ERR_IDS_UNAVAILABLE', message);
    }
    try {
      return asText(await call(this.#limited()));
    } catch (error) {
      if (error instanceof Error) this.#failed(error);
      throw explained(error);
    }
  }
}

function explained(cause: unknown): unknown {
  // A cluster of version 5 that does not know the slots yet reads the primary of none.
  const connecting = cause instanceof TypeError;
  if (!connecting && !(cause instanceof Error && cause.message === ABORTED)) return cause;
  const why = connecting ? 'is still connecting' : 'had no connection to send a command in time';
  return new IdError('ERR_IDS_UNAVAILABLE', `the Redis client ${why}`, { cause });
}

function callOf(numberOfKeys: number, rest: readonly (string | number)[]): ScriptCall {
  const all = rest.map(String);
  return { keys: all.slice(0, numberOfKeys), arguments: all.slice(numberOfKeys) };
}

/** The type mapping of a connection, which a pipeline does not override, may have made buffers of strings. */
function asText(reply: unknown): unknown {
  if (reply instanceof Uint8Array) return Buffer.from(reply).toString();
  return Array.isArray(reply) ? reply.map(asText) : reply;
}
