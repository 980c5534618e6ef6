import { readChange } from '@ids/store';
import type { MysqlExecutor } from '@ids/store/mysql';
import type { SeriesDialect } from '../table/dialect.js';
import { readerOf } from '../table/reader.js';
import { mysqlGaps } from './gaps.js';
import { lackingMysqlNumberRights, mysqlNumberGrants } from './rights.js';
import { ensureMysqlNumberSchema, missingMysqlNumberSchema, mysqlNumberSchema } from './schema.js';
import { seedStatement, unseededStatement } from './seed.js';
import {
  acceptMysqlSeries,
  createMysqlSeries,
  createStatement,
  mysqlChangeStatement,
  mysqlKeysStatement,
  mysqlSeriesStatement,
} from './series.js';

/** MySQL and MariaDB. */
export const mysqlDialect: SeriesDialect<MysqlExecutor> = {
  schema: mysqlNumberSchema,
  ensure: ensureMysqlNumberSchema,
  missing: missingMysqlNumberSchema,
  grants: mysqlNumberGrants,
  lackingRights: lackingMysqlNumberRights,
  create: createMysqlSeries,
  seriesSql: (name, table, documents) => {
    const create = createStatement(name, table);
    if (documents === undefined) return [create];
    const seed = seedStatement({ name, table }, documents);
    return ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'START TRANSACTION', create, seed, 'COMMIT'];
  },
  accept: acceptMysqlSeries,
  findChange: async (executor, name, table) => {
    const read = readerOf(executor, `series ${JSON.stringify(name)} in ${table}`);
    const [row] = await read(mysqlChangeStatement(name, table));
    return readChange(row?.change);
  },
  seriesStatement: mysqlSeriesStatement,
  keysStatement: mysqlKeysStatement,
  unseededStatement,
  gaps: mysqlGaps,
};
