import type { ConfiguredGenerator } from '@ids/config';
import { IdError, isIdError } from '@ids/core';
import { lackingRights } from '@ids/segment/sql';
import { neededTables } from './needed-tables.js';
import { schemaSteps } from './schema-steps.js';
import { openDatabase } from './sequence-place.js';

/**
 * The error of a generator with the generator's name and, a line each, what mends it: the command that makes
 * what is missing, the statements that grant what the role lacks.
 */
export async function withMends(error: unknown, generator: ConfiguredGenerator): Promise<unknown> {
  if (!isIdError(error)) return error;
  const { code, message } = error;
  // Of other errors time is the cure, or the message says itself what is.
  const mends = code === 'ERR_IDS_CONFIG' ? await mendsFor(message, generator) : [];
  return new IdError(code, [`generators.${generator.name}: ${message}`, ...mends].join('\n'), {
    cause: error,
  });
}

async function mendsFor(message: string, generator: ConfiguredGenerator): Promise<string[]> {
  const acl = redisGrant(message, generator.options.redis);
  if (acl !== undefined) return [acl];
  const [needed] = neededTables([generator]);
  if (needed === undefined) return [];
  const database = await openDatabase(needed.database);
  try {
    const { role, needed: rights, grants } = await lackingRights(database, needed);
    if (rights.length > 0) return [`role "${role}" lacks ${rights.join(' and ')}: ${grants}`];
    const missing = (await schemaSteps(database, needed)).flatMap(({ makes }) => makes);
    return missing.length > 0 ? [`npx --no ids apply makes what is missing: ${missing.join(', ')}`] : [];
  } catch {
    // The error that is being explained says more than this one.
    return [];
  } finally {
    await database.close();
  }
}

/**
 * The command that gives the Redis user the rights that an error says it needs; undefined where
 * it says nothing of rights.
 */
export function redisGrant(message: string, redis: unknown): string | undefined {
  const [, rights, key] = /The user needs (.*?) on "([^"]*)"/.exec(message) ?? [];
  if (rights === undefined || typeof redis !== 'string' || !URL.canParse(redis)) return undefined;
  const user = decodeURIComponent(new URL(redis).username) || 'default';
  return `Redis user "${user}" lacks a right: ACL SETUSER ${user} ~${key} ${rights.replaceAll(/ \([^)]*\)/g, '')}`;
}
