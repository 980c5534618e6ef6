import { quotedTable } from '@ids/store';
import * as errors from '../errors.js';
import { hasCode } from '../failure-codes.js';
import { takeReferenced } from '../referenced.js';
import { referenceTableOf } from '../table/names.js';
import type { NumberRequest, Referenced } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { bytes, LOCK_NOT_AVAILABLE, text } from './statements.js';

/** `takeReferenced` on Postgres. After the deadline of a claim, the transaction is aborted. */
export function takeReferencedOnPostgres(
  { run }: TransactionPort,
  request: NumberRequest,
  take: () => Promise<unknown>,
): Promise<unknown> {
  const claim = async (referenced: Referenced, conflict: string): Promise<boolean> => {
    try {
      return (await run(claimStatement(referenced, conflict)))[0]?.claimed === '1';
    } catch (error) {
      throw hasCode(error, LOCK_NOT_AVAILABLE) ? errors.referenceHeld(referenced, error) : error;
    }
  };
  const find = async (referenced: Referenced) => (await run(findStatement(referenced)))[0];
  return takeReferenced(
    request,
    {
      claim: (referenced) => claim(referenced, 'DO NOTHING'),
      find: async (referenced) => {
        const row = await find(referenced);
        if (row?.last !== null) return row;
        return (await claim(referenced, IF_UNUSED)) ? undefined : await find(referenced);
      },
      fill: (referenced, last) => run(fillStatement(referenced, last)),
    },
    take,
  );
}

/** Locks a row also if it has numbers, so it is not tried first: those who only read it would wait. */
const IF_UNUSED = '(series, reference) DO UPDATE SET last_number = NULL WHERE d.last_number IS NULL';

function tableOf({ table }: Referenced): string {
  return quotedTable(referenceTableOf(table)).table;
}

function isReference({ name, reference }: Referenced): string {
  return `series = ${text(name)} AND reference = ${bytes(reference)}`;
}

/** `claimed`: 1 if a row was made, or changed on a conflict. Only this statement has the limit. */
function claimStatement(request: Referenced, conflict: string): string {
  return `WITH before AS MATERIALIZED (
  SELECT current_setting('lock_timeout') AS was, set_config('lock_timeout', '${request.deadlineMs}', true) AS set
), claimed AS (
  INSERT INTO ${tableOf(request)} AS d (series, reference) SELECT ${text(request.name)}, ${bytes(request.reference)} FROM before WHERE before.set IS NOT NULL
  ON CONFLICT ${conflict} RETURNING 1
), answer AS MATERIALIZED (
  SELECT (SELECT count(*) FROM claimed)::text AS claimed
)
SELECT a.claimed, set_config('lock_timeout', b.was, true) AS put_back FROM answer a, before b`;
}

function findStatement(request: Referenced): string {
  return `SELECT encode(sequence_key, 'hex') AS key, first_number::text AS first, last_number::text AS last
FROM ${tableOf(request)} WHERE ${isReference(request)}`;
}

function fillStatement(request: Referenced, last: number): string {
  return `UPDATE ${tableOf(request)} SET sequence_key = ${bytes(request.key)}, first_number = ${last - request.count + 1}, last_number = ${last}
WHERE ${isReference(request)}`;
}
