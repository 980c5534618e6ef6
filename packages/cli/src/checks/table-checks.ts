import type { StoreRights } from '@ids/core';
import { CHANGE_TEXT, type SqlExecutor } from '@ids/store';
import { dialectOf } from '../dialects/any-dialect.js';
import { howToCreate } from '../tables/fixes.js';
import type { NeededEntry, NeededTable } from '../tables/generators.js';
import { heardReigns } from '../tables/issued.js';
import { afterLoss } from '../tables/lost-reservations.js';
import { schemaSteps } from '../tables/schema-steps.js';
import { standsBelow } from '../tables/stands-below.js';
import { type Check, checked } from './check.js';
import { otherHashChecks } from './record-checks.js';

/**
 * Whether the table exists, the role may use it and it has what the generator needs in it. Also warns of
 * failures that the store would not survive and its guards would not notice.
 */
export async function tableChecks(
  database: SqlExecutor,
  needed: NeededTable,
  generator: string,
): Promise<Check[]> {
  const what = `table ${needed.table}`;
  const rights = await checked(what, () => rightsChecks(database, needed, generator));
  if (rights.some(({ status }) => status === 'wrong')) return rights;
  const entries = needed.entries.map((entry) => entryChecks(database, needed, entry, generator));
  return [...rights, ...(await Promise.all(entries)).flat()];
}

function entryChecks(
  database: SqlExecutor,
  needed: NeededTable,
  needs: NeededEntry,
  generator: string,
): Promise<Check[]> {
  const { store } = needs;
  const what = store.entry;
  return checked(what, async () => {
    // Reads only: whatever accepts a new reign would end what the next reservation skips.
    const state = await store.describe(database);
    const { reserved, summary, concern, usedUp, warnings, pending, refused, realm } = state;
    const below = store.position && (await standsBelow(database, needed, needs, reserved));
    const repeats = below?.repeats;
    const heard = await heardReigns(needs);
    // A floor that is not checked would not end it.
    const refusal = heard.length > 0 ? await store.position?.refusalOf?.(database, heard) : undefined;
    return [
      ...(refusal === undefined ? [] : [refusedPrimary(what, generator, refusal)]),
      repeats !== undefined
        ? {
            what,
            status: 'wrong',
            detail: `${summary}, but ${repeats.text}${refusal === undefined ? `: ${repeats.first} npx --no -- ids floor ${generator} ${repeats.upTo}, or a higher ID that anybody saw` : ''}`,
          }
        : usedUp !== undefined
          ? { what, status: 'wrong', detail: `${summary}: ${usedUp}` }
          : concern === undefined
            ? { what, status: 'ok', detail: summary }
            : { what, status: 'warning', detail: `${summary}: ${concern}` },
      ...(below?.beside ?? []).map((detail): Check => ({ what, status: 'warning', detail })),
      ...(await keyChecks(database, store)),
      ...(await otherHashChecks(needs, realm)),
      ...warnings.map((warning): Check => {
        if (pending === undefined || !warning.includes(CHANGE_TEXT[pending]))
          return { what, status: 'warning', detail: warning };
        const advice = afterLoss(generator, {
          refused,
          byKey: store.byKey,
          fromRedis: needs.hashes.length > 0,
        });
        return { what, status: 'wrong', detail: `${warning}. ${advice}` };
      }),
    ];
  });
}

/** It reads all keys. Where there are so many that the server gives up, that says nothing about them. */
async function keyChecks(database: SqlExecutor, { entry, keys }: NeededEntry['store']): Promise<Check[]> {
  const what = `keys of ${entry}`;
  try {
    const usedUp = await keys?.usedUp?.(database);
    return usedUp === undefined ? [] : [{ what, status: 'wrong', detail: usedUp }];
  } catch (error) {
    return [{ what, status: 'warning', detail: `not looked at: ${(error as Error).message}` }];
  }
}

/** Says where to give the floor: `ids floor --checked` alone cannot be followed word by word. */
function refusedPrimary(what: string, generator: string, refusal: string): Check {
  const command = `npx --no -- ids floor ${generator} <an ID above all that the other one reserved> --checked`;
  return { what, status: 'wrong', detail: `${refusal}. Here: ${command}` };
}

export const isGuard = (thing: string): boolean => thing.startsWith('guards ');
const isOfKeys = (thing: string): boolean => thing.startsWith('guards of key table ');

/**
 * Without those that only seem to be missing: on MySQL, an account without the right TRIGGER sees no
 * triggers, and no log into which they write. The description of the table rejects one without its log.
 */
export async function seenMissing(
  database: SqlExecutor,
  missing: readonly string[],
): Promise<readonly string[]> {
  const isHidden = (thing: string): boolean => isGuard(thing) || thing.startsWith('grant log ');
  const { roles } = dialectOf(database);
  if (!missing.some(isHidden) || roles === undefined || (await roles.seesGuards(database))) return missing;
  return missing.filter((thing) => !isHidden(thing));
}

/**
 * That a table is there, and who may write it besides services. One of them may be a service that was granted
 * more than it needs.
 */
export function presentChecks(
  what: string,
  {
    role,
    grants,
    writers = [],
    hidesWriters,
  }: Pick<StoreRights, 'role' | 'grants' | 'writers' | 'hidesWriters'>,
): [Check, ...Check[]] {
  const hidden = hidesWriters ? '; this account cannot see who else may write it' : '';
  const others = writers.map(({ table, roles, revoke, on }): Check => {
    const may = `${roles.join(' and ')} may write ${on ?? 'it'}, more than a service needs: and so end a sequence for good, or rewrite who reserved what`;
    const how =
      revoke === undefined
        ? 'grant them the tables that they need instead'
        : `${revoke} Right after it, on Postgres in the same transaction, and only for those of them that are services: ${grantsTo(roles, grants)}`;
    return { what: `table ${table}`, status: 'warning', detail: `${may}: ${how}` };
  });
  return [{ what, status: 'ok', detail: `present, with all rights of role "${role}"${hidden}` }, ...others];
}

/** The same grants, to these roles instead: `grants` is for the role that asks. */
function grantsTo(roles: readonly string[], grants: string): string {
  const services = roles.map((role) => (role === 'PUBLIC' ? '<the role of a service>' : role));
  return grants.replaceAll(/ TO [^;]+;/g, () => ` TO ${services.join(', ')};`);
}

/** Each check says who needs the right and how to grant it. */
async function rightsChecks(database: SqlExecutor, needed: NeededTable, generator: string): Promise<Check[]> {
  const what = `table ${needed.table}`;
  const found = await needed.store.lackingRights(database);
  const { role, needed: rights, forGuard, grants } = found;
  const lacks = (names: readonly string[]): string => `role "${role}" lacks ${names.join(' and ')}`;
  if (rights.length > 0)
    return [
      { what, status: 'wrong', detail: `${lacks(rights)}, which generators.${generator} needs: ${grants}` },
    ];
  const missing = await seenMissing(
    database,
    (await schemaSteps(database, needed)).flatMap(({ creates }) => creates),
  );
  const wrong = missing.filter((thing) => !isGuard(thing));
  if (wrong.length > 0) {
    return wrong.map((thing) => ({
      what: thing,
      status: 'wrong',
      detail: `is missing, and generators.${generator} needs it: ${howToCreate(wrong)}`,
    }));
  }
  const { describesGuards } = dialectOf(database);
  const guards = missing.filter((thing) => isGuard(thing) && (!describesGuards || isOfKeys(thing)));
  const unguarded = guards.map((thing): Check => {
    const detail = 'are incomplete, so its rows can be lowered or deleted: npx --no -- ids apply';
    return { what: thing, status: 'warning', detail };
  });
  const [present, ...others] = presentChecks(what, found);
  if (forGuard.length === 0) return [present, ...unguarded, ...others];
  const detail = `${lacks(forGuard)}, so restores and promotions are not noticed, or too few ids skipped: ${grants}`;
  return [{ what, status: 'warning', detail }, ...unguarded, ...others];
}
