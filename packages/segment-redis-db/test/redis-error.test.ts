import { describe, expect, it } from 'vitest';
import { explainRedisError, MINIMAL_ACL } from '../src/redis-error.js';

/** A right that is missing, in the words of each server that says it in its own. */
const LACKING = [
  ['Redis 7.0', "NOPERM User u has no permissions to run the 'evalsha' command"],
  [
    'Redis 7.0, in a script',
    "ERR The user executing the script can't run this command or subcommand script: b1b2, on @user_script:1.",
  ],
  [
    'Redis 8.0, in a script',
    "ERR ACL failure in script: User u has no permissions to run the 'info' command script: b1b2, on @user_script:1.",
  ],
  [
    'Redis 8.0, in a Cluster',
    "IDS_NO_REIGN scripts cannot ask for CLUSTER INFO: ERR ACL failure in script: User u has no permissions to run the 'cluster|info' command",
  ],
] as const;

describe('an error of Redis', () => {
  it.each(LACKING)('asks for the least rights: %s', (_server, message) => {
    expect(explainRedisError(new Error(message))).toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining(`The user needs ${MINIMAL_ACL}`),
    });
  });

  it('names the option of ioredis 5 by which scripts reach the nodes of their keys', () => {
    const error = new Error('All keys in the pipeline should belong to the same slots allocation group');
    expect(explainRedisError(error)).toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('autoPipeliningIgnoredCommands: ["evalsha", "eval"]'),
    });
  });

  it('does not ask for rights where none would help', () => {
    const { code, message } = explainRedisError(
      new Error('IDS_NO_REIGN this server does not tell its role to scripts'),
    );
    expect(code).toBe('ERR_IDS_CONFIG');
    expect(message).not.toContain('The user needs');
    expect(message).toContain('segment-inproc with order: "real-time"');
  });
});
