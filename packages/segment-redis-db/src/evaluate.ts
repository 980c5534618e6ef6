import { IdError } from '@ids/core';
import { explainRedisError } from './redis-error.js';
import type { RedisLike } from './redis-like.js';
import type { Script } from './script.js';
import { settleWithin } from './settle-within.js';

/** Milliseconds for one script call. Its outcome is unknown after that: ids it may have given are lost, never reused. */
const CALL_TIMEOUT_MS = 1_000;

export type ScriptArguments = readonly (string | number)[];

/** Runs `script` on one key and resolves with its reply. Rejects with `IdError` only. */
export async function evaluate(
  redis: RedisLike,
  script: Script,
  key: string,
  args: ScriptArguments = [],
): Promise<unknown> {
  try {
    return await settleWithin(run(redis, script, key, args), CALL_TIMEOUT_MS, () => lateCall(script));
  } catch (error) {
    throw explainRedisError(error, key);
  }
}

async function run(redis: RedisLike, script: Script, key: string, args: ScriptArguments): Promise<unknown> {
  try {
    return await redis.evalsha(script.sha1, 1, key, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return redis.eval(script.text, 1, key, ...args);
  }
}

function lateCall({ name }: Script): IdError {
  return new IdError('ERR_IDS_TIMEOUT', `Redis did not answer within ${CALL_TIMEOUT_MS} ms (${name})`);
}
