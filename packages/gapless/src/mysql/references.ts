import { bytesOf, mysqlTable } from '@ids/store/mysql';
import * as errors from '../errors.js';
import { hasCode } from '../failure-codes.js';
import { takeReferenced } from '../referenced.js';
import { referenceTableOf } from '../table/names.js';
import type { NumberRequest, Referenced } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { AT_THE_DEADLINE, limits } from './statements.js';

/** `takeReferenced` on MySQL and MariaDB, where a claim does not say whether there was a row. */
export function takeReferencedOnMysql(
  { run }: TransactionPort,
  request: NumberRequest,
  take: () => Promise<unknown>,
): Promise<unknown> {
  return takeReferenced(
    request,
    {
      claim: async (referenced) => {
        try {
          await run(claimStatement(referenced));
        } catch (error) {
          throw hasCode(error, ...AT_THE_DEADLINE) ? errors.referenceHeld(referenced, error) : error;
        }
        return false;
      },
      find: async (referenced) => (await run(findStatement(referenced)))[0],
      fill: (referenced, last) => run(fillStatement(referenced, last)),
    },
    take,
  );
}

function tableOf({ table }: Referenced): string {
  return mysqlTable(referenceTableOf(table)).quoted;
}

function isReference({ name, reference }: Referenced): string {
  return `series = ${bytesOf(name)} AND reference = ${bytesOf(reference)}`;
}

/** What IGNORE ignores is that there is a row. */
function claimStatement(request: Referenced): string {
  const { mariadb, mysql } = limits(request.deadlineMs);
  return `${mariadb}INSERT ${mysql}IGNORE INTO ${tableOf(request)} (series, reference) VALUES (${bytesOf(request.name)}, ${bytesOf(request.reference)})`;
}

/** A locking read sees what was committed after the snapshot of the transaction, and makes none. */
function findStatement(request: Referenced): string {
  return `SELECT HEX(sequence_key) AS \`key\`, CAST(first_number AS CHAR) AS first, CAST(last_number AS CHAR) AS last
FROM ${tableOf(request)} WHERE ${isReference(request)} LOCK IN SHARE MODE`;
}

function fillStatement(request: Referenced, last: number): string {
  return `UPDATE ${tableOf(request)} SET sequence_key = ${bytesOf(request.key)}, first_number = ${last - request.count + 1}, last_number = ${last}
WHERE ${isReference(request)}`;
}
