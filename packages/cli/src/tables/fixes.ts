import type { ConfiguredGenerator } from '@ids/config';
import { IdError, isIdError } from '@ids/core';
import { missingFile } from '@ids/store/sqlite/file';
import { neededTables, openBounded } from './generators.js';
import { schemaSteps, Unfixable } from './schema-steps.js';

/**
 * The error with the name of its generator and how to fix it, a line for each fix: the command that creates
 * what is missing, or the statements that grant the rights that the role lacks.
 */
export async function withFixes(error: unknown, generator: ConfiguredGenerator): Promise<unknown> {
  if (!isIdError(error)) return error;
  const { code, message } = error;
  // Other errors pass with time, or their message says how to fix them.
  const fixes = code === 'ERR_IDS_CONFIG' ? await fixesFor(message, generator) : [];
  const at = `generators.${generator.name}`;
  const named = message.startsWith(`${at} `) ? message : `${at}: ${message}`;
  return new IdError(code, [named, ...fixes].join('\n'), { cause: error });
}

async function fixesFor(message: string, generator: ConfiguredGenerator): Promise<string[]> {
  const acl = redisGrant(message, generator.options.redis);
  if (acl !== undefined) return [acl];
  const [needed] = neededTables([generator]);
  // Of a missing file, the error says it.
  if (needed === undefined || missingFile(needed.database) !== undefined) return [];
  await using database = await openBounded(needed.database);
  try {
    const { role, needed: rights, grants } = await needed.store.lackingRights(database);
    if (rights.length > 0) return [`role "${role}" lacks ${rights.join(' and ')}: ${grants}`];
    const missing = (await schemaSteps(database, needed)).flatMap(({ creates }) => creates);
    return missing.length > 0 ? [`missing: ${missing.join(', ')}: ${howToCreate(missing)}`] : [];
  } catch (reason) {
    // Of others, the error that is being explained says more.
    return reason instanceof Unfixable ? [reason.message] : [];
  }
}

/** Before a floor above ids that were lost: processes that still run hold ids above all that can be seen. */
export const STOP_FIRST =
  'first stop all processes that took IDs from it, which hold more of them than can be seen, then';

/** How to create what is missing. Of a sequence, nobody knows whether it is new or was lost. */
export function howToCreate(missing: readonly string[]): string {
  const apply = 'npx --no -- ids apply';
  if (!missing.some((what) => what.startsWith('sequence '))) return `create it with ${apply}`;
  return `if it never existed, create it with ${apply}; if it was lost, as by DROP or TRUNCATE, ${STOP_FIRST} ${apply} --start-after <the highest ID that anybody saw>`;
}

/**
 * The command that grants the Redis user the rights that an error asks for; undefined if it is not about
 * rights.
 */
export function redisGrant(message: string, redis: unknown): string | undefined {
  const [, rights, key] = /The user needs (.*?) on "([^"]*)"/.exec(message) ?? [];
  if (rights === undefined || typeof redis !== 'string' || !URL.canParse(redis)) return undefined;
  const user = decodeURIComponent(new URL(redis).username) || 'default';
  return `Redis user "${user}" lacks a right: ACL SETUSER ${user} ~${key} ${rights.replaceAll(/ \([^)]*\)/g, '')}`;
}
