import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { PlannedSeries } from '@ids/config';
import { IdError } from '@ids/core';
import { describeSeries, raiseWithin } from '@ids/gapless';
import { openDatabase } from '../tables/generators.js';
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
 * `ids floor` of a series: shows it, or raises one key of it. Twice: as once. It leaves a gap below the floor
 * if that is above the last document.
 */
export async function floorOfSeries(
  { stdout, json }: RunContext,
  { series, database }: PlannedSeries,
  { key, floor, checked, force }: FloorOfSeries,
): Promise<ExitCode> {
  const { name, table } = series;
  if (checked || force) {
    const option = checked ? '--checked' : '--force';
    throw new InvalidArgumentError(`${option} is for sequences, and "${name}" is a series`);
  }
  if (floor === undefined) {
    await using executor = await openDatabase(database);
    const found = await describeSeries(executor, name, { table });
    if (found === undefined) {
      const how = 'create it with npx --no -- ids apply';
      throw new IdError('ERR_IDS_CONFIG', `there is no series "${name}" in table ${table}: ${how}`);
    }
    const { keys, highest } = found;
    if (json) writeJson(stdout, { series: name, keys, highest });
    else stdout.write(`series ${name} has ${keys} keys, the highest number is ${highest}\n`);
    return EXIT.ok;
  }
  const last = await inTransaction(database, (tx) => raiseWithin(tx, name, key ?? '', floor, { table }));
  if (json) writeJson(stdout, { series: name, key: key ?? '', last });
  else {
    const what = key === undefined ? '' : `key ${JSON.stringify(key)} of `;
    stdout.write(`${what}series ${name} goes on after ${last}\n`);
  }
  return EXIT.ok;
}
