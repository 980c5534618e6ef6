import { readOrigin, readWholeNumber, reignsText } from '@ids/store';
import { assertReplicated, isOutOfRange, type RunOn } from '@ids/store/postgres';
import { type Reinstated, type ReinstateOptions, sequenceExhausted } from '../segment-source.js';
import { lockLimit, type RowGuards, statementsFor } from './statements.js';

interface ReinstatingTable {
  readonly run: RunOn;
  readonly table: string;
  readonly guards: RowGuards;
}

/** `reinstate` of a source on Postgres, which skips as many ids. */
export async function reinstateRow(
  { run, table, guards }: ReinstatingTable,
  name: string,
  skipped: number,
  { within, follows, floor, timeoutMs, ...request }: ReinstateOptions,
): Promise<Reinstated | undefined> {
  const { realm, reigns } = within;
  if (realm === undefined || reigns === undefined) return undefined;
  const values = [
    ...[name, floor, realm, reignsText(reigns), reignsText(follows), skipped],
    ...[lockLimit(timeoutMs), follows.length],
  ];
  const { rows, notices } = await run(statementsFor(table, guards).reinstate, values, request).catch(
    (error: Error) => {
      throw isOutOfRange(error.cause) ? sequenceExhausted(name, skipped, error) : error;
    },
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  // If no standby has it, the row stands where it stands: whoever reserves there finds out for itself.
  assertReplicated(notices, name, 'nothing was reserved');
  return { origin: readOrigin(row), maxId: readWholeNumber(row.max_id, 'max_id'), skipped };
}
