import { readChange } from '@ids/store';
import type { SeriesDialect } from '../table/dialect.js';
import { readerOf } from '../table/reader.js';
import { postgresGaps } from './gaps.js';
import { lackingNumberRights, numberGrants } from './rights.js';
import { ensureNumberSchema, missingNumberSchema, numberSchema } from './schema.js';
import { LIMIT_LOCKS, lockStatement, seedStatement, unseededStatement } from './seed.js';
import {
  acceptSeries,
  changeStatement,
  createSeries,
  createStatement,
  keysStatement,
  seriesStatement,
} from './series.js';

export const postgresDialect: SeriesDialect = {
  schema: numberSchema,
  ensure: ensureNumberSchema,
  missing: missingNumberSchema,
  grants: numberGrants,
  lackingRights: lackingNumberRights,
  create: createSeries,
  seriesSql: (name, table, documents) => {
    const create = createStatement(name, table);
    if (documents === undefined) return [create];
    const seed = seedStatement({ name, table }, documents);
    const begin = ['BEGIN ISOLATION LEVEL READ COMMITTED', LIMIT_LOCKS, 'SET LOCAL row_security = off'];
    return [...begin, lockStatement(documents), create, seed, 'COMMIT'];
  },
  accept: acceptSeries,
  findChange: async (executor, name, table) => {
    const read = readerOf(executor, `series ${JSON.stringify(name)} in ${table}`);
    const [row] = await read(changeStatement(name, table));
    return readChange(row?.change);
  },
  seriesStatement,
  keysStatement,
  unseededStatement,
  gaps: postgresGaps,
};
