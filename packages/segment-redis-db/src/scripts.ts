import { IdError, isIdError } from '@ids/core';
import { explainRedisError } from './redis-error.js';
import { CALL_TIMEOUT_MS, CONFIRM_MS, CONFIRMED_TIMEOUT_MS } from './time-limits.js';

/** A Lua script, embedded by the build from `src/lua`. */
export interface Script {
  readonly name: string;
  /** SHA-1 of `text`, which identifies a script that Redis has run before. */
  readonly sha1: string;
  readonly text: string;
}

/**
 * The part of an ioredis `Redis` or `Cluster` that the dispenser calls. A client of the caller is never
 * patched, configured or closed; its `keyPrefix` applies.
 */
export interface RedisLike {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  /** Called only with the option `waitReplicas`. */
  pipeline(): PipelineLike;
}

/** Commands that are sent together, over one connection. */
export interface PipelineLike {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): PipelineLike;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): PipelineLike;
  wait(replicas: number, milliseconds: number): PipelineLike;
  /** An error or a reply for each command. */
  exec(): Promise<[error: Error | null, reply: unknown][] | null>;
}

export function isRedisLike(value: unknown): value is RedisLike {
  if (typeof value !== 'object' || value === null) return false;
  const { evalsha, eval: evaluate, pipeline } = value as Partial<RedisLike>;
  return [evalsha, evaluate, pipeline].every((method) => typeof method === 'function');
}

/** Learns whether the server answers. */
export interface Listening {
  /** The server answered a call, or the connection broke, after which the client opens another one. */
  answered(): void;
  /** A call that was sent at `sentAt`, a reading of `performance.now()`, had no answer in its time. */
  unanswered(sentAt: number): void;
}

export type ScriptArguments = readonly (string | number)[];

/** One key, or several of the same slot. */
export type ScriptKeys = string | readonly string[];

/** Runs `script` on its keys and resolves with its reply. Rejects only with `IdError`. */
export function evaluate(
  redis: RedisLike,
  script: Script,
  keys: ScriptKeys,
  args: ScriptArguments = [],
  silence?: Listening,
): Promise<unknown> {
  return settled(script, keys, run(redis, script, keys, args), CALL_TIMEOUT_MS, silence);
}

export interface ConfirmedReply {
  readonly reply: unknown;
  /** How many replicas have everything that this primary had written by the end of the script. */
  readonly replicas: number;
}

/**
 * Like `evaluate`, but then waits, for a short time, until `replicas` replicas have what the script wrote.
 */
export function evaluateConfirmed(
  redis: RedisLike,
  replicas: number,
  script: Script,
  keys: ScriptKeys,
  args: ScriptArguments,
  silence?: Listening,
): Promise<ConfirmedReply> {
  const call = runConfirmed(redis, replicas, script, keys, args);
  return settled(script, keys, call, CONFIRMED_TIMEOUT_MS, silence);
}

async function settled<T>(
  script: Script,
  keys: ScriptKeys,
  call: Promise<T>,
  limitMs: number,
  silence: Listening | undefined,
): Promise<T> {
  const sentAt = performance.now();
  const late = () =>
    new IdError('ERR_IDS_TIMEOUT', `Redis did not answer within ${limitMs} ms (${script.name})`);
  try {
    const reply = await settleInTurns(call, limitMs, late);
    silence?.answered();
    return reply;
  } catch (error) {
    // Such an error is ours: that there was no answer in time, or nothing to send the call on.
    if (isIdError(error) && error.retryable) silence?.unanswered(sentAt);
    else silence?.answered();
    throw explainRedisError(error, firstOf(keys), script);
  }
}

async function run(
  redis: RedisLike,
  script: Script,
  keys: ScriptKeys,
  args: ScriptArguments,
): Promise<unknown> {
  const all = allOf(keys);
  try {
    return replyOf(await redis.evalsha(script.sha1, all.length, ...all, ...args), script);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return replyOf(await redis.eval(script.text, all.length, ...all, ...args), script);
  }
}

function allOf(keys: ScriptKeys): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys;
}

/** Which stands for all of them, in messages and where only their slot matters. */
function firstOf(keys: ScriptKeys): string {
  return allOf(keys)[0] ?? '';
}

/**
 * WAIT is about the writes of its own connection only: on another connection it would confirm writes that it
 * never saw. Hence one pipeline: if the connection closes half-way, ioredis drops the rest of a pipeline, but
 * would send single commands again on the next connection.
 */
async function runConfirmed(
  redis: RedisLike,
  replicas: number,
  script: Script,
  keys: ScriptKeys,
  args: ScriptArguments,
): Promise<ConfirmedReply> {
  const all = allOf(keys);
  const confirm = (pipeline: PipelineLike) => pipeline.wait(replicas, CONFIRM_MS).exec();
  const attempt = () => confirm(redis.pipeline().evalsha(script.sha1, all.length, ...all, ...args));
  let results = await attempt();
  if (isRedirection(results?.[0]?.[0])) {
    // ioredis learns where a slot is only from single commands: in a pipeline it sees that WAIT is answered,
    // and does not follow the redirection. This script does nothing.
    await redis.eval('return 0', 1, firstOf(keys));
    results = await attempt();
  }
  if (isUnknownScript(results?.[0]?.[0])) {
    results = await confirm(redis.pipeline().eval(script.text, all.length, ...all, ...args));
  }
  const [ran, waited] = results ?? [];
  // It was followed once, so this client follows redirections: the slot moves just now.
  if (isRedirection(ran?.[0])) throw new Error('the slot of the key moves to another node');
  if (ran === undefined || waited === undefined) throw new Error('the pipeline was dropped');
  if (ran[0] !== null) throw ran[0];
  if (waited[0] !== null && /NOPERM|unknown command/i.test(waited[0].message)) throw waited[0];
  return { reply: replyOf(ran[1], script), replicas: waited[0] === null ? Number(waited[1]) : 0 };
}

/**
 * Rejects what is not a reply of a script. The error is not retryable: the same client would answer the same
 * way again, and a command that a transaction queued runs at its EXEC, when nobody waits for the ids.
 */
function replyOf(reply: unknown, { name }: Script): unknown {
  if (reply === 'QUEUED') {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `the Redis client is inside a transaction (MULTI): it answered QUEUED to the script "${name}". Give the generator a separate client`,
    );
  }
  if (reply === undefined || reply === null) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `the Redis client returned ${reply} for the script "${name}", which always replies: option "redis" must be a client of ioredis or node-redis, or one that returns what theirs return`,
    );
  }
  return reply;
}

/** Whether the key's slot is on another node of the Cluster, or on its way there. */
function isRedirection(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK) /.test(error.message);
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/**
 * The limit has this many parts: enough turns of the event loop for two replies, each read in its own turn.
 */
const PARTS = 4;

/**
 * Settles like `promise`, or rejects with `late()` after `ms` milliseconds. Every Redis call needs it: with
 * some settings of ioredis, a call whose connection broke never settles. The call is not aborted, because a
 * command that was sent cannot be taken back.
 *
 * Only time counts in which this process could read the reply. After a long turn of the event loop, the timer
 * fires before the socket is read, even if the reply arrived long ago; and if timers run late, one fires
 * right after another. So each part of the limit ends in the check phase, after a poll phase that reads what
 * has arrived, and a turn counts as one part at most.
 */
function settleInTurns<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let afterPoll: NodeJS.Immediate | undefined;
    const waitFor = (parts: number): void => {
      timer = setTimeout(() => {
        afterPoll = setImmediate(() => (parts === 1 ? reject(late()) : waitFor(parts - 1)));
      }, ms / PARTS);
    };
    waitFor(PARTS);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      clearImmediate(afterPoll);
    });
  });
}
