import { IdError, isIdError } from '@ids/core';

/** The least that a Redis user needs, in a Cluster `+cluster|info` as well; printed where something is missing, and tested. */
export const MINIMAL_ACL = '+eval +evalsha +info +type +hmget +hget +hset +time';

/**
 * What a failed script call means to callers. Only what nobody but an operator can mend is final
 * (`ERR_IDS_CONFIG`, `ERR_IDS_REALM`); the rest, a replica or a server still loading among it, is worth another try.
 */
export function explainRedisError(error: unknown, key = 'ids:*'): IdError {
  if (isIdError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const [, realm] = /IDS_REALM (\S+)/.exec(message) ?? [];
  if (realm !== undefined) {
    return new IdError(
      'ERR_IDS_REALM',
      `the Redis key "${key}" belongs to another sequence (realm ${realm}): two databases share one Redis. Choose another keyPrefix for one of them, or DEL the key if the other is gone`,
      { cause: error },
    );
  }
  if (/NOPERM|can't run this command|unknown command|IDS_NO_EPOCH/i.test(message)) {
    const wait = /'wait'/.test(message) ? ' +wait (for "waitReplicas")' : '';
    const cluster = /CLUSTER/.test(message) ? ' +cluster|info (in a Cluster)' : '';
    return new IdError(
      'ERR_IDS_CONFIG',
      `this Redis cannot dispense ids, because its scripts may not do what they must: "${message}". The user needs ${MINIMAL_ACL}${wait}${cluster} on "${key}", and the server must show its role and replication id to scripts`,
      { cause: error },
    );
  }
  if (/WRONGTYPE/.test(message)) {
    return new IdError('ERR_IDS_CONFIG', `the Redis key "${key}" holds something else than a hash of ids`, {
      cause: error,
    });
  }
  if (/NOAUTH|WRONGPASS/.test(message)) {
    return new IdError('ERR_IDS_CONFIG', `Redis refuses the user or password: "${message}"`, {
      cause: error,
    });
  }
  return new IdError('ERR_IDS_UNAVAILABLE', `Redis cannot give ids now: ${message}`, { cause: error });
}
