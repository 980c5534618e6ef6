import { type NewReignOptions, type SqlExecutor, SqlSegmentSource } from '@ids/segment/sql';
import { CHANGE_TEXT } from '@ids/segment/table';
import { layoutOf } from '@ids/snowflake';
import { SqlSlotTable } from '@ids/snowflake/sql';
import type { NeededSequence, NeededTable } from '../generators.js';
import { aboveOf, issuedIds, repeatsText } from '../issued.js';
import { afterLoss } from '../lost-reservations.js';
import { rightsLacked, schemaSteps } from '../schema-steps.js';
import { type Check, checked } from './check.js';

/**
 * Whether the table exists, the role may use it and it contains the sequences or the slots. Also warns of
 * failures that the store would not survive and its guards would not notice. `options` are those of the
 * generator.
 */
export async function tableChecks(
  database: SqlExecutor,
  needed: NeededTable,
  generator: string,
  options: NewReignOptions = {},
): Promise<Check[]> {
  const what = `table ${needed.table}`;
  const rights = await checked(what, () => rightsChecks(database, needed, generator));
  if (rights.some(({ status }) => status === 'wrong')) return rights;
  const rows = needed.sequences.map((sequence) =>
    needed.kind === 'slots'
      ? slotChecks(database, needed, sequence)
      : sequenceChecks(database, needed, sequence, generator, options),
  );
  return [...rights, ...(await Promise.all(rows)).flat()];
}

function sequenceChecks(
  database: SqlExecutor,
  needed: NeededTable,
  sequence: NeededSequence,
  generator: string,
  options: NewReignOptions,
): Promise<Check[]> {
  const { table, log } = needed;
  const { name } = sequence;
  const what = `sequence ${name}`;
  return checked(what, async () => {
    // Reads only: whatever accepts a new reign would end what the next reservation skips.
    const source = new SqlSegmentSource(database, { ...options, table, log });
    const { maxId, pending, warnings = [] } = await source.describe(name);
    const above = aboveOf(await issuedIds(database, needed, sequence), maxId);
    const standsAt = `reserved up to ${maxId}`;
    const position: Check =
      above === undefined
        ? { what, status: 'ok', detail: standsAt }
        : {
            what,
            status: 'wrong',
            detail: `${standsAt}, but ${repeatsText(above, maxId)}: npx --no -- ids floor ${generator} ${above.upTo}`,
          };
    return [
      position,
      ...warnings.map((warning): Check => {
        if (pending === undefined || !warning.includes(CHANGE_TEXT[pending]))
          return { what, status: 'warning', detail: warning };
        return { what, status: 'wrong', detail: `${warning}. ${afterLoss(generator, pending, options)}` };
      }),
    ];
  });
}

function slotChecks(
  database: SqlExecutor,
  { table, log }: NeededTable,
  { name, slots: { layout: layoutName, epoch } }: NeededSequence,
): Promise<Check[]> {
  const what = `slots ${name}`;
  return checked(what, async () => {
    const slots = new SqlSlotTable(database, { name, table, log, layout: layoutOf(layoutName, epoch) });
    const { warnings } = await slots.describe();
    const { slots: count, holders } = await slots.holders();
    const detail = `${count} of the layout ${layoutName}, ${holders.length} in use`;
    const full = holders.length === count;
    const state: Check = full
      ? { what, status: 'warning', detail: `${detail}: a start must wait until one is free` }
      : { what, status: 'ok', detail };
    return [state, ...warningChecks(what, warnings)];
  });
}

function warningChecks(what: string, warnings: readonly string[]): Check[] {
  return warnings.map((detail) => ({ what, status: 'warning', detail }));
}

/** Each check says who needs the right and how to grant it. */
async function rightsChecks(database: SqlExecutor, needed: NeededTable, generator: string): Promise<Check[]> {
  const what = `table ${needed.table}`;
  const { role, needed: rights, forGuard, grants } = await rightsLacked(database, needed);
  const lacks = (names: readonly string[]): string => `role "${role}" lacks ${names.join(' and ')}`;
  if (rights.length > 0)
    return [
      { what, status: 'wrong', detail: `${lacks(rights)}, which generators.${generator} needs: ${grants}` },
    ];
  const missing = (await schemaSteps(database, needed)).flatMap(({ creates }) => creates);
  // The description of the table itself warns of missing guards.
  const wrong = missing.filter((thing) => !thing.startsWith('guards '));
  if (wrong.length > 0) {
    return wrong.map((thing) => ({
      what: thing,
      status: 'wrong',
      detail: `is missing, and generators.${generator} needs it: create it with npx --no -- ids apply`,
    }));
  }
  const present: Check = { what, status: 'ok', detail: `present, with all rights of role "${role}"` };
  if (forGuard.length === 0) return [present];
  const detail = `${lacks(forGuard)}, so restores and promotions are not noticed: ${grants}`;
  return [{ what, status: 'warning', detail }];
}
