import { readOrigin, readWholeNumber, reignsText, type Skips } from '@ids/store';
import { assertReplicated, isOutOfRange, type RunOn, type UsableGuard } from '@ids/store/postgres';
import { type Reinstated, type ReinstateOptions, sequenceExhausted } from '../segment-source.js';
import { skipToReinstate } from '../table/reinstating.js';
import { lockLimit, statementsFor } from './statements.js';

interface ReinstatingTable {
  readonly run: RunOn;
  readonly table: string;
  readonly guard: UsableGuard;
  readonly skips: Skips;
}

/** `reinstate` of a source on Postgres. */
export async function reinstateRow(
  { run, table, guard, skips }: ReinstatingTable,
  name: string,
  { within, follows, floor, timeoutMs, ...request }: ReinstateOptions,
): Promise<Reinstated | undefined> {
  const skipped = skipToReinstate(skips, follows);
  const { realm, reigns } = within;
  if (skipped === null || realm === undefined || reigns === undefined) return undefined;
  const values = [name, floor, realm, reignsText(reigns), reignsText(follows), skipped, lockLimit(timeoutMs)];
  const { rows, notices } = await run(statementsFor(table, guard).reinstate, values, request).catch(
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
