import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { PlannedSeries } from '@ids/config';
import { IdError } from '@ids/core';
import { acceptSeries, describeSeries, findKeys, findSeriesChange, raiseWithin } from '@ids/gapless';
import { CHANGE_TEXT } from '@ids/store';
import { WAIT_SECONDS } from '../dialects/own-transaction.js';
import { openExisting } from '../tables/existing.js';
import { inTransaction } from '../tables/transaction.js';
import { EXIT, type ExitCode, type RunContext } from '../terminal/command.js';
import { writeJson } from '../terminal/output.js';

interface FloorOfSeries {
  readonly key: string | undefined;
  readonly floor: number | undefined;
  readonly checked: boolean;
  readonly force: boolean;
}

/**
 * `ids floor` of a series: shows it, raises one key of it, or accepts what happened to its database. Twice:
 * as once. A floor above the last document leaves a gap, and so does that of a key that nobody uses.
 */
export async function floorOfSeries(
  { stdout, json }: RunContext,
  planned: PlannedSeries,
  { key, floor, checked, force }: FloorOfSeries,
): Promise<ExitCode> {
  const { entry, series, database } = planned;
  const { name, table } = series;
  if (force && floor === undefined) throw new InvalidArgumentError('--force needs a floor');
  if (checked) {
    if (floor !== undefined || key !== undefined) {
      throw new InvalidArgumentError(
        `--checked is about all keys of series "${name}" at once: raise each key that needs it, and then run npx --no -- ids floor ${entry} --checked`,
      );
    }
    await using executor = await openExisting(database);
    const change = await findSeriesChange(executor, name, { table });
    await acceptSeries(executor, name, { table });
    if (json) writeJson(stdout, { series: name, accepted: change ?? null });
    else {
      const what =
        change === undefined ? 'was accepted already' : `is accepted, although ${CHANGE_TEXT[change]}`;
      stdout.write(`series ${name} ${what}\n`);
    }
    return EXIT.ok;
  }
  if (floor === undefined) {
    await using executor = await openExisting(database);
    const found = await describeSeries(executor, name, { table });
    if (found === undefined) {
      const how = 'create it with npx --no -- ids apply';
      throw new IdError('ERR_IDS_CONFIG', `there is no series "${name}" in table ${table}: ${how}`);
    }
    const { keys, highest } = found;
    if (json) writeJson(stdout, { series: name, keys, highest });
    else
      stdout.write(
        `series ${name} has ${keys === 1 ? '1 key' : `${keys} keys`}, the highest number is ${highest}\n`,
      );
    return EXIT.ok;
  }
  if (floor === 0)
    throw new InvalidArgumentError(
      `the floor of a series is a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, got 0`,
    );
  await assertKeyOf(planned, key, force);
  const deadlineMs = 1_000 * WAIT_SECONDS;
  const last = await inTransaction(database, (tx) =>
    raiseWithin(tx, name, key ?? '', floor, { table, deadlineMs }),
  );
  if (json) writeJson(stdout, { series: name, key: key ?? '', last });
  else {
    const what = key === undefined ? '' : `key ${JSON.stringify(key)} of `;
    stdout.write(`${what}series ${name} goes on after ${last}\n`);
  }
  return EXIT.ok;
}

/** Throws if the key is left out of a series with keys, or has no number yet and is not forced. */
async function assertKeyOf(
  { series: { name, table }, startAfter, database }: PlannedSeries,
  key: string | undefined,
  force: boolean,
): Promise<void> {
  await using executor = await openExisting(database);
  const found = await findKeys(executor, name, key ?? '', { table });
  const others = found.filter((one) => one !== (key ?? '')).map((one) => JSON.stringify(one));
  const shown = others.length === 0 ? '' : ` (there is ${others.join(', ')})`;
  if (key === undefined) {
    if (others.length === 0 && startAfter?.keyColumn === undefined && startAfter?.perYear !== true) return;
    throw new InvalidArgumentError(
      `series "${name}" has keys${shown}: name one with --key, the empty one with --key ''`,
    );
  }
  if (force || found[0] === key) return;
  throw new Error(
    `key ${JSON.stringify(key)} of series "${name}" has no number yet${shown}; --force raises it all the same`,
  );
}
