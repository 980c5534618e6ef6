import { IdError, isIdError } from '@ids/core';
import { tlsHint } from '@ids/store';

/**
 * The least rights of the Redis user. In addition: in a Cluster `+cluster|info`, and `+cluster|slots`, with
 * which a client finds the nodes; `+select` for a database other than 0, `+wait` for `waitReplicas`. Error
 * messages print it, and tests check it.
 */
export const MINIMAL_ACL = '+eval +evalsha +info +type +hmget +hget +hset +time';

/** What sequences by key need besides; `+set` only with `idleMs`. */
export const KEYED_ACL = '+mget +mset +set';

/**
 * What a failed script call means to callers. Only what an operator must fix is final (`ERR_IDS_CONFIG`,
 * `ERR_IDS_REALM`); everything else may be retried, also a replica or a server that is still loading.
 * `script` is the one that failed, if any.
 */
export function explainRedisError(
  error: unknown,
  key = 'ids:*',
  script?: { readonly text: string },
): IdError {
  if (isIdError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const [, realm] = /IDS_REALM (\S+)/.exec(message) ?? [];
  if (realm !== undefined) {
    return new IdError(
      'ERR_IDS_REALM',
      `the Redis key "${key}" belongs to another sequence (realm ${realm}). If two databases share one Redis, choose another keyPrefix for one of them. If the table was lost and created anew, first stop all processes and raise the sequence as npx --no -- ids doctor says; only the key knows how far it went, so DEL it last`,
      { cause: error },
    );
  }
  const config = (why: string): IdError => new IdError('ERR_IDS_CONFIG', why, { cause: error });
  const tls = tlsHint(error);
  if (tls !== undefined) return config(`option "redis": ${message} (${tls})`);
  if (/keys in the pipeline should belong to the same slots/.test(message)) {
    return config(
      'option "redis": the auto-pipelining of this ioredis sends scripts to nodes that do not have their keys: use version 6, or give the Cluster the option autoPipeliningIgnoredCommands: ["evalsha", "eval"]',
    );
  }
  const [, node] = /^MOVED \d+ (\S+)/.exec(message) ?? [];
  if (node !== undefined) {
    return config(
      `option "redis": the server is one node of a Redis Cluster, and "${key}" belongs to another one, ${node}: ${PASS_CLUSTER}`,
    );
  }
  const command = refusedCommand(message, script);
  const rights = script?.text.includes("'MGET'")
    ? `${MINIMAL_ACL} ${KEYED_ACL} on "${key}*"`
    : `${MINIMAL_ACL} on "${key}"`;
  if (/unknown command|unknown redis command/i.test(message) && !message.includes('IDS_NO_REIGN')) {
    const what = command === undefined ? 'a command that its scripts call' : `the command "${command}"`;
    return config(
      `this Redis cannot issue ids, because it does not know ${what}: the server renamed or disabled it (rename-command), or never had it. The user needs ${rights}`,
    );
  }
  if (LACKS_RIGHT.test(message)) {
    const wait = command === 'WAIT' ? ' +wait (for "waitReplicas")' : '';
    const select = command === 'SELECT' ? ' +select (for a database other than 0)' : '';
    const cluster = /CLUSTER/.test(message) ? ' +cluster|info (in a Cluster)' : '';
    return config(
      `this Redis cannot issue ids, because the scripts lack rights: "${message}". The user needs ${rights}${wait}${select}${cluster}, and the server must show its role and replication id to scripts`,
    );
  }
  const unfenced = unfencedReason(message);
  if (unfenced !== undefined) {
    return config(
      `this Redis cannot issue ids, because ${unfenced}: "${message}". No permission of the user changes this; ${WITHOUT_REDIS}`,
    );
  }
  if (/WRONGTYPE/.test(message)) {
    return config(`the Redis key "${key}" is not a hash of ids`);
  }
  if (/NOAUTH|WRONGPASS/.test(message)) {
    return config(`Redis rejects the user or password: "${message}"`);
  }
  return new IdError('ERR_IDS_UNAVAILABLE', `Redis cannot issue ids now: ${message}`, { cause: error });
}

/** What to pass in place of the URL of one node, or of its client. */
export const PASS_CLUSTER =
  'pass a client of the whole Cluster, such as new Cluster([{ host, port }]) of ioredis, or createCluster of node-redis';

/** The server has fewer databases than the client selects. */
export function noDatabase(database: string, cause: unknown): IdError {
  const rule = 'a whole number from 0 to one less than its setting "databases" is accepted';
  const message = `option "redis": the server has no database ${database}: ${rule}`;
  return new IdError('ERR_IDS_CONFIG', message, { cause });
}

/** How servers say that the user may not run a command: outside scripts, in those of Redis 7.0 and 8. */
const LACKS_RIGHT = /NOPERM|can't run this command|ACL failure in script/i;

/** What to use in place of a Redis on which the fence does not work. */
const WITHOUT_REDIS =
  'use a server that docs/platforms.md lists as tested, or the same order from the database alone: ' +
  'segment-inproc with order: "real-time"';

/** Why the fence cannot work on this server, whatever its users may do; undefined if it can. */
function unfencedReason(message: string): string | undefined {
  // A command that the server has, but in no script: INFO in Redis Software.
  if (/not allowed from (?:a )?script/i.test(message)) return 'its scripts may not call what the fence reads';
  if (message.includes('IDS_NO_REIGN')) return 'its scripts cannot detect whether a promotion lost writes';
  return undefined;
}

/** The command that the server does not know or the user may not run; undefined if `message` does not say. */
function refusedCommand(message: string, script: { readonly text: string } | undefined): string | undefined {
  const [, sent] = /(?:unknown command|run the) [`'"]([\w|]+)/i.exec(message) ?? [];
  if (sent !== undefined) return sent.toUpperCase();
  // The error of a script contains only a line: "on @user_script:12." in Redis 7, "@user_script: 12:" before.
  const [, line] = /@user_script: ?(\d+)/.exec(message) ?? [];
  const text = script?.text.split('\n')[Number(line) - 1] ?? '';
  return /redis\.p?call\('(\w+)'/.exec(text)?.[1];
}
