import { IdError } from '@ids/core';
import { explainRedisError } from './redis-error.js';
import type { PipelineLike, RedisLike } from './redis-like.js';
import type { Script } from './script.js';
import { settleWithin } from './settle-within.js';

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
    return await settleWithin(call, CALL_TIMEOUT_MS, late);
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
