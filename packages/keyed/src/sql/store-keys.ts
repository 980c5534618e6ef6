import type { StoreKeys } from '@ids/core';
import { DEFAULT_TABLE, greatestUsable, keysUsedUp } from '@ids/segment';
import { provenanceParts } from '@ids/segment/sql';
import {
  logTableOf,
  type NewReignOptions,
  quotedTable,
  type SqlExecutor,
  type TableOptions,
} from '@ids/store';
import { isMissingTable, rowValue } from '@ids/store/guarded';
import { bytesOf, mysqlTable } from '@ids/store/mysql';
import { keyToHex } from '../key.js';
import { keyTableOf } from '../table/key-table.js';
import { describeKey, groupNow, raiseKey, whoIssued } from './any-dialect.js';

/** The keys of a family, for `StrategyStore.keys`. */
export function storeKeys(family: string, options: TableOptions & NewReignOptions): StoreKeys<SqlExecutor> {
  const { table = DEFAULT_TABLE } = options;
  return {
    async describe(executor, key) {
      const found = await describeKey(executor, family, key, options);
      const { maxId, nextAbove, pending, superseded, lockedBy } = found;
      return {
        reserved: idOf(maxId),
        nextAbove: idOf(nextAbove),
        startAfter: BigInt(found.family.maxId),
        pending,
        familyPending: found.family.pending,
        superseded,
        lockedBy,
      };
    },
    async usedUp(executor) {
      const group = await groupNow(executor, family, table);
      const where = { column: 'family', name: family };
      const above = `count(CASE WHEN max_id > ${greatestUsable(group)} THEN 1 END)`;
      return keysUsedUp(Number(await rowValue(executor, keyTableOf(table), where, above)), group);
    },
    logged: (executor, key) => logged(executor, family, key, keyTableOf(table)),
    raise: async (executor, key, floor, { checked = false } = {}) =>
      BigInt(await raiseKey(executor, family, key, Number(floor), { table, checked })),
    whoIssued: async (executor, key, id) =>
      provenanceParts(await whoIssued(executor, family, key, BigInt(id), { table })),
  };
}

function idOf(id: number | undefined): bigint | undefined {
  return id === undefined ? undefined : BigInt(id);
}

async function logged(executor: SqlExecutor, family: string, key: string, keys: string): Promise<bigint> {
  const [text, values] =
    executor.dialect === 'mysql'
      ? [
          `SELECT CAST(max(high) AS char) AS high FROM ${mysqlTable(keys).log}
WHERE family = ${bytesOf(family)} AND sequence_key = ${bytesOf(key)}`,
          [],
        ]
      : executor.dialect === 'sqlite'
        ? [
            `SELECT CAST(max(high) AS text) AS high FROM ${quotedTable(logTableOf(keys)).table}
WHERE family = ? AND sequence_key = ?`,
            [family, keyToHex(key)],
          ]
        : [
            `SELECT max(high)::text AS high FROM ${quotedTable(logTableOf(keys)).table}
WHERE family = $1 AND sequence_key = decode($2, 'hex')`,
            [family, keyToHex(key)],
          ];
  try {
    const [row] = (await executor.execute(text, values)).rows;
    return BigInt(String(row?.high ?? 0));
  } catch (error) {
    if (isMissingTable(error)) return 0n;
    throw error;
  }
}
