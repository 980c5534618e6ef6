import { IdError } from '@ids/core';
import { explainRedisError } from './redis-error.js';

/** A Lua script as the build embeds it from `src/lua`. */
export interface Script {
  readonly name: string;
  /** SHA-1 of `text`, by which Redis knows a script it has run before. */
  readonly sha1: string;
  readonly text: string;
}

/**
 * The part of an ioredis `Redis` or `Cluster` that the dispenser calls. A client that is handed in is never
 * patched, configured or closed; its `keyPrefix` applies.
 */
export interface RedisLike {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  /** Called with the option `waitReplicas` only. */
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

/**
 * Milliseconds for one script call, of which a turn of the event loop counts as a quarter at most. Its
 * outcome is unknown after that: ids it may have given are lost, never reused.
 */
const CALL_TIMEOUT_MS = 1_000;

/** Milliseconds that replicas have to confirm a call: less than the call as a whole may take. */
const CONFIRM_MS = 500;

export type ScriptArguments = readonly (string | number)[];

/** Runs `script` on one key and resolves with its reply. Rejects with `IdError` only. */
export function evaluate(
  redis: RedisLike,
  script: Script,
  key: string,
  args: ScriptArguments = [],
): Promise<unknown> {
  return settled(script, key, run(redis, script, key, args));
}

export interface ConfirmedReply {
  readonly reply: unknown;
  /** How many replicas have everything that this primary had written when the script had run. */
  readonly replicas: number;
}

/**
 * As `evaluate`, and then waits until `replicas` replicas have what the script wrote,
 * or a short while is over.
 */
export function evaluateConfirmed(
  redis: RedisLike,
  replicas: number,
  script: Script,
  key: string,
  args: ScriptArguments,
): Promise<ConfirmedReply> {
  return settled(script, key, runConfirmed(redis, replicas, script, key, args));
}

async function settled<T>(script: Script, key: string, call: Promise<T>): Promise<T> {
  const late = () =>
    new IdError('ERR_IDS_TIMEOUT', `Redis did not answer within ${CALL_TIMEOUT_MS} ms (${script.name})`);
  try {
    return await settleInTurns(call, CALL_TIMEOUT_MS, late);
  } catch (error) {
    throw explainRedisError(error, key, script);
  }
}

async function run(redis: RedisLike, script: Script, key: string, args: ScriptArguments): Promise<unknown> {
  try {
    return replyOf(await redis.evalsha(script.sha1, 1, key, ...args), script);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return replyOf(await redis.eval(script.text, 1, key, ...args), script);
  }
}

/**
 * WAIT speaks of its own connection's writes only: on another one it would confirm what it never saw. Hence
 * one pipeline, of which ioredis gives up the rest when the connection closes half-way, where single commands
 * would be sent again on the next one.
 */
async function runConfirmed(
  redis: RedisLike,
  replicas: number,
  script: Script,
  key: string,
  args: ScriptArguments,
): Promise<ConfirmedReply> {
  const confirm = (pipeline: PipelineLike) => pipeline.wait(replicas, CONFIRM_MS).exec();
  const attempt = () => confirm(redis.pipeline().evalsha(script.sha1, 1, key, ...args));
  let results = await attempt();
  if (isRedirection(results?.[0]?.[0])) {
    // ioredis learns where a slot is from single commands: in a pipeline WAIT is answered, so it looks
    // no further. Runs nothing.
    await redis.eval('return 0', 1, key);
    results = await attempt();
  }
  if (isUnknownScript(results?.[0]?.[0])) {
    results = await confirm(redis.pipeline().eval(script.text, 1, key, ...args));
  }
  const [ran, waited] = results ?? [];
  if (ran === undefined || waited === undefined) throw new Error('the pipeline was given up');
  if (ran[0] !== null) throw ran[0];
  if (waited[0] !== null && /NOPERM|unknown command/i.test(waited[0].message)) throw waited[0];
  return { reply: replyOf(ran[1], script), replicas: waited[0] === null ? Number(waited[1]) : 0 };
}

/**
 * Refuses what is no reply of a script. Finally: the same client answers the same way again, and a command
 * that a transaction queued runs at its EXEC, when nobody waits for the ids.
 */
function replyOf(reply: unknown, { name }: Script): unknown {
  if (reply === 'QUEUED') {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `the Redis client is inside a transaction (MULTI): it answered QUEUED to the script "${name}". Give the generator a client of its own`,
    );
  }
  if (reply === undefined || reply === null) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `the Redis client returned ${reply} for the script "${name}", which always replies: option "redis" must be an ioredis client, or one that returns what evalsha and eval of ioredis return`,
    );
  }
  return reply;
}

/** The key's slot is on another node of the Cluster, or on its way there. */
function isRedirection(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK) /.test(error.message);
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/**
 * The limit is counted in this many parts: enough turns of the event loop for two replies, each
 * read in a turn of its own.
 */
const PARTS = 4;

/**
 * Settles as `promise` does, or rejects with `late()` after `ms` milliseconds. Used around every Redis call:
 * under some ioredis settings a call whose connection broke never settles by itself. Leaner than `within` of
 * @ids/segment, which also aborts the work: a command that was sent cannot be taken back.
 *
 * Only time in which this process could read the reply counts. After a long turn of the event loop the timer
 * fires before the socket is read, although the reply arrived long ago; and when timers take long, one fires
 * right after another. So each part of the limit ends in the check phase, behind a poll phase that reads what
 * has arrived, and a turn counts as one part at most.
 */
function settleInTurns<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let parts = 0;
    let timer: NodeJS.Timeout | undefined;
    let afterPoll: NodeJS.Immediate | undefined;
    const wait = (): void => {
      timer = setTimeout(() => {
        afterPoll = setImmediate(count);
      }, ms / PARTS);
    };
    const count = (): void => {
      parts += 1;
      if (parts === PARTS) reject(late());
      else wait();
    };
    const stop = (): void => {
      clearTimeout(timer);
      clearImmediate(afterPoll);
    };
    wait();
    promise.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error) => {
        stop();
        reject(error);
      },
    );
  });
}
