import { MAX_KEY_BYTES } from '@ids/keyed';
import { createTable, type SchemaPart, type SqlExecutor, type TableShape } from '@ids/store';
import {
  assertShapes,
  ensureMysqlTable,
  type MysqlExecutor,
  type MysqlGuardedTable,
  missingMysqlParts,
  mysqlGuardedSchema,
  mysqlTable,
  tableSql,
} from '@ids/store/mysql';
import { NUMBER_TABLE, referenceTableOf, seriesTableOf } from '../table/names.js';

/** As on Postgres. Names are bytes: no collation makes two of them equal. */
const SERIES: TableShape = {
  what: 'table of series',
  columns: {
    series: 'varbinary(1020) NOT NULL PRIMARY KEY',
    reign_server: 'varchar(255) CHARACTER SET ascii',
    reign_table: 'bigint',
    created_at: 'timestamp(6) NOT NULL DEFAULT current_timestamp(6)',
  },
  options: 'ENGINE = InnoDB',
};

const REFERENCES: TableShape = {
  what: 'table of references',
  columns: {
    series: 'varbinary(1020) NOT NULL',
    reference: `varbinary(${MAX_KEY_BYTES}) NOT NULL`,
    sequence_key: `varbinary(${MAX_KEY_BYTES})`,
    first_number: 'bigint',
    last_number: 'bigint',
  },
  constraints: ['PRIMARY KEY (series, reference)'],
  options: 'ENGINE = InnoDB',
};

function numbersOf(table: string): MysqlGuardedTable {
  return {
    wording: NUMBER_TABLE,
    shape: {
      what: NUMBER_TABLE.what,
      columns: {
        series: 'varbinary(1020) NOT NULL',
        sequence_key: `varbinary(${MAX_KEY_BYTES}) NOT NULL`,
        last_number: 'bigint NOT NULL',
      },
      options: 'ENGINE = InnoDB',
    },
    constraints: ({ own }) => [
      'PRIMARY KEY (series, sequence_key)',
      `CONSTRAINT ${own('of')} FOREIGN KEY (series) REFERENCES ${mysqlTable(seriesTableOf(table)).quoted} (series)`,
      `CONSTRAINT ${own('guard')} CHECK (last_number BETWEEN 1 AND 9007199254740991)`,
    ],
    triggers: () => ({
      delete: [
        'BEFORE DELETE',
        `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'DELETE rejected: numbers of this key have been used'`,
      ],
      update: [
        'BEFORE UPDATE',
        `SET NEW.last_number = IF(NEW.last_number >= OLD.last_number AND NEW.series = OLD.series
    AND NEW.sequence_key = OLD.sequence_key, NEW.last_number, -1)`,
      ],
    }),
  };
}

/** `numberSchema` for MySQL. */
export function mysqlNumberSchema(table: string): string {
  const plain = plainTables(table).map(({ shape, quoted }) => `${createTable(shape, quoted)};\n\n`);
  return plain.join('') + mysqlGuardedSchema(numbersOf(table), table, false);
}

/** `ensureNumberSchema` on MySQL. */
export async function ensureMysqlNumberSchema(executor: SqlExecutor, table: string): Promise<void> {
  for (const { shape, name, quoted, isThis } of plainTables(table)) {
    const sql = tableSql(executor as MysqlExecutor, name, NUMBER_TABLE);
    await sql.attempt(() =>
      assertShapes(executor, `${shape.what} ${name}`, [{ shape, name, where: isThis }]),
    );
    const found = await sql.rows(`SELECT 1 FROM information_schema.TABLES WHERE ${isThis}`);
    if (found.length === 0) await sql.commit(createTable(shape, quoted));
  }
  await ensureMysqlTable(numbersOf(table), executor, table, false);
}

function plainTables(table: string) {
  return [
    { shape: SERIES, name: seriesTableOf(table) },
    { shape: REFERENCES, name: referenceTableOf(table) },
  ].map((one) => ({ ...mysqlTable(one.name), ...one }));
}

/** `missingNumberSchema` on MySQL. */
export async function missingMysqlNumberSchema(executor: SqlExecutor, table: string): Promise<SchemaPart[]> {
  return await missingMysqlParts(numbersOf(table), executor, table, false);
}
