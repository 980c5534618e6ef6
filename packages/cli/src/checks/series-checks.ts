import type { PlannedSeries } from '@ids/config';
import {
  describeSeries,
  findSeriesChange,
  findUnseeded,
  lackingNumberRights,
  missingNumberSchema,
} from '@ids/gapless';
import { CHANGE_TEXT, type ReignChange, type SqlExecutor } from '@ids/store';
import { missingFile } from '@ids/store/sqlite/file';
import { openExisting } from '../tables/existing.js';
import { tableStep } from '../tables/schema-step.js';
import { serverChecks } from './backend-checks.js';
import { type Check, checked } from './check.js';
import { isGuard, presentChecks, seenMissing } from './table-checks.js';

/** Checks the tables of a series, and that it is not below the numbers of its documents. Only reads. */
export async function seriesChecks(planned: PlannedSeries, seen: Set<unknown>): Promise<Check[]> {
  const { database: url, entry } = planned;
  const what = `series ${entry}`;
  if (url === undefined)
    return [{ what, status: 'warning', detail: 'not checked: the config names no database' }];
  const known = seen.has(url);
  seen.add(url);
  if (known && missingFile(url) !== undefined) return [];
  return checked(what, async () => {
    await using database = await openExisting(url);
    const server = known ? [] : await serverChecks(database);
    if (server.some(({ status }) => status === 'wrong')) return server;
    const tables = await checked(what, () => tableChecks(database, planned));
    if (tables.some(({ status }) => status === 'wrong')) return [...server, ...tables];
    return [...server, ...tables, ...(await checked(what, () => numberChecks(database, planned)))];
  });
}

async function tableChecks(database: SqlExecutor, { entry, series }: PlannedSeries): Promise<Check[]> {
  const { table } = series;
  const what = `table ${table}`;
  const parts = await missingNumberSchema(database, { table });
  const { creates } = tableStep({ table, parts, sql: '' }, async () => {});
  const lacking = await seenMissing(database, creates);
  const missing = lacking.filter((thing) => !isGuard(thing));
  if (missing.length > 0) {
    const detail = `is missing, and series.${entry} needs it: create it with npx --no -- ids apply`;
    return missing.map((thing) => ({ what: thing, status: 'wrong', detail }));
  }
  const rights = await lackingNumberRights(database, { table });
  const { role, needed, grants } = rights;
  if (needed.length > 0) {
    const detail = `role "${role}" lacks ${needed.join(' and ')}, which series.${entry} needs: ${grants}`;
    return [{ what, status: 'wrong', detail }];
  }
  const guards = lacking.map((thing): Check => {
    const detail = 'are incomplete, so its rows can be lowered or deleted: npx --no -- ids apply';
    return { what: thing, status: 'warning', detail };
  });
  return [...presentChecks(what, rights), ...guards];
}

async function numberChecks(
  database: SqlExecutor,
  { entry, series, startAfter }: PlannedSeries,
): Promise<Check[]> {
  const { name, table } = series;
  const what = `series ${entry}`;
  // Where numbers start again each year, a key of a former year may be at its end for good.
  const last = startAfter?.perYear === true ? undefined : startAfter?.format?.last;
  const found = await describeSeries(database, name, { table, last });
  if (found === undefined) {
    const detail = `is missing in table ${table}: create it with npx --no -- ids apply`;
    return [{ what, status: 'wrong', detail }];
  }
  const ahead = startAfter && (await findUnseeded(database, name, startAfter, { table }));
  if (ahead !== undefined && ahead.keys > 0) {
    const { keys, highest } = ahead;
    const detail = `${keys === 1 ? '1 key is' : `${keys} keys are`} below the numbers of ${startAfter?.table}.${startAfter?.column}, up to ${highest}, which would be issued again: npx --no -- ids apply`;
    return [{ what, status: 'wrong', detail }];
  }
  const refused = await refusedChange(database, series);
  if (refused !== undefined) {
    const detail = `numbers are refused, because ${CHANGE_TEXT[refused]}: see docs/numbers.md#after-a-failover-or-a-restore, and then npx --no -- ids floor ${entry} --checked`;
    return [{ what, status: 'wrong', detail }];
  }
  const { keys, highest, usedUp } = found;
  const detail = `${keys} keys, the highest number is ${highest}`;
  if (usedUp === 0) return [{ what, status: 'ok', detail }];
  const end = `${usedUp === 1 ? '1 key is' : `${usedUp} keys are`} at the end, so that no number follows`;
  return [{ what, status: 'wrong', detail: `${detail}: ${end}: see docs/numbers.md#a-key-at-its-end` }];
}

/** The change for which numbers are refused, as the config wants it. */
async function refusedChange(
  database: SqlExecutor,
  { name, table, afterFailover, afterRestore }: PlannedSeries['series'],
): Promise<ReignChange | undefined> {
  const refuses = { failover: afterFailover === 'refuse', restore: afterRestore === 'refuse' };
  if (!refuses.failover && !refuses.restore) return undefined;
  const change = await findSeriesChange(database, name, { table });
  return change !== undefined && refuses[change] ? change : undefined;
}
