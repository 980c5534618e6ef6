import {
  createSequence,
  ensureReserveProcedure,
  ensureSchema,
  fromPg,
  SqlSegmentSource,
  type SqlSegmentSourceOptions,
  setFloor,
} from '../../src/sql/index.js';
import { openFile } from '../sqlite-file.js';
import { DIALECTS, type TestTable } from './dialects.js';
import { openPoolAs } from './sql-database.js';

/* What a table of sequences is refused for, for the page of messages. Each act has a table of its own. */

const group = { by: 'day', timeZone: '+08:00' } as const;
type Act = (test: TestTable & { readonly source: SqlSegmentSource }) => unknown;

/** What a call says of a sequence `order` and a ticket, in a table of its own, after what `spoil` ran. */
const after = (open: (options?: { log?: boolean }) => Promise<TestTable>) =>
  function spoiled(spoil: string, act: Act, { log, ...options }: SqlSegmentSourceOptions = {}) {
    return async () => {
      const test = await open({ log: log === true });
      const { executor, table } = test;
      await createSequence(executor, 'order', { table });
      await createSequence(executor, 'ticket', { table, group });
      const source = new SqlSegmentSource(executor, { table, log, ...options });
      await source.reserve('order', 10);
      for (const statement of spoil.split(/;\s*/)) if (statement !== '') await test.run(statement);
      await act({ ...test, source });
    };
  };
const describing: Act = ({ source }) => source.describe('order');
const reserving: Act = ({ source }) => source.reserve('order', 10);
const elsewhere: Act = ({ executor, schema }) =>
  new SqlSegmentSource(executor, { table: `${schema}.nowhere` }).describe('order');

export const ofTables = (kind: (typeof DIALECTS)[number]) => {
  const spoiled = after(kind.open);
  return {
    'no sequence': spoiled('', ({ source }) => source.describe('bill')),
    'no table': spoiled('', elsewhere),
    'no log': spoiled('', ({ executor, table }) =>
      new SqlSegmentSource(executor, { table, log: true }).describe('order'),
    ),
    'the table of somebody else': spoiled('', async ({ executor, run, schema }) => {
      await run(`CREATE TABLE ${schema}.orders (id int PRIMARY KEY, total int)`);
      await ensureSchema(executor, { table: `${schema}.orders` });
    }),
    'other groups': spoiled('', ({ executor, table }) =>
      createSequence(executor, 'ticket', { table, group: { ...group, by: 'month' } }),
    ),
    'a day that has not begun': spoiled('', async ({ executor, table, source }) => {
      const { low } = await source.reserve('ticket', 1);
      await setFloor(executor, 'ticket', low + 99 * 10 ** 8, { table });
      await source.reserve('ticket', 1);
    }),
    'the end of a day': spoiled('', async ({ executor, table, source }) => {
      const { low } = await source.reserve('ticket', 1);
      await setFloor(executor, 'ticket', low + 10 ** 8 - 5, { table });
      await source.reserve('ticket', 10);
    }),
    'a floor too far above': spoiled('', ({ source }) => source.reserve('order', 1, { floor: 10 ** 12 })),
    'a row below what is known': spoiled('', ({ source }) => source.reserve('order', 1, { floor: 100 }), {
      afterRestore: 'refuse',
    }),
  };
};
const kindOf = (dialect: 'postgres' | 'mysql') =>
  DIALECTS.find((kind) => kind.dialect === dialect) as (typeof DIALECTS)[number];
export const [onPostgres, onMariadb] = [kindOf('postgres'), kindOf('mysql')];

const asRole =
  (grants: string, act: Act): Act =>
  async (test) => {
    const { schema, table, run } = test;
    const executor = fromPg(await openPoolAs(schema));
    await run(`GRANT USAGE ON SCHEMA ${schema} TO ${schema}`);
    if (grants !== '') await run(grants.replaceAll('%r', schema));
    await act({ ...test, executor, source: new SqlSegmentSource(executor, { table }) });
  };
const postgresOnly = after(onPostgres.open);
export const ofPostgres = {
  'a table that a crash empties': postgresOnly('ALTER TABLE %t SET UNLOGGED', describing),
  'a log that a crash empties': postgresOnly('ALTER TABLE %t_log SET UNLOGGED', describing, { log: true }),
  'no right': postgresOnly('', asRole('GRANT SELECT ON %t TO %r', reserving)),
  'a row that is hidden': postgresOnly(
    'ALTER TABLE %t ENABLE ROW LEVEL SECURITY',
    asRole('GRANT SELECT, UPDATE ON %t TO %r', describing),
  ),
  'a server that another one has followed': postgresOnly("UPDATE %t SET timeline = '0000FFFF'", reserving),
  'a restore': postgresOnly('UPDATE %t SET system_id = 1', reserving, { afterRestore: 'refuse' }),
  'a trigger of somebody else': postgresOnly('', async ({ run, schema, source }) => {
    await run(`CREATE FUNCTION ${schema}.keep() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.max_id := OLD.max_id; RETURN NEW; END $$;
        CREATE TRIGGER zz_keep BEFORE UPDATE ON %t FOR EACH ROW EXECUTE FUNCTION ${schema}.keep()`);
    await source.reserve('order', 10);
  }),
  'no schema': postgresOnly('', ({ executor }) => ensureSchema(executor, { table: 'nowhere.ids' })),
  'another name in two zones': postgresOnly('', ({ executor, table }) =>
    createSequence(executor, 'zone', { table, group: { by: 'day', timeZone: 'IST' } }),
  ),
  'a procedure without its table': postgresOnly('', ({ executor, schema }) =>
    ensureReserveProcedure(executor, { table: `${schema}.none` }),
  ),
};
const mysqlOnly = after(onMariadb.open);
export const ofMysql = {
  'another engine': mysqlOnly('ALTER TABLE %t ENGINE = Aria', describing),
  'a zone that changes its clocks': mysqlOnly('', ({ executor, table }) =>
    createSequence(executor, 'zone', { table, group: { by: 'day', timeZone: 'Asia/Shanghai' } }),
  ),
  'no procedure': mysqlOnly('', ({ executor, table }) => ensureReserveProcedure(executor, { table })),
};

/** The same of a file. */
const inFile = (pragma: string, act: (file: Awaited<ReturnType<typeof openFile>>) => unknown) => async () => {
  const file = await openFile();
  await createSequence(file.executor, 'order');
  for (const statement of pragma.split('; ')) file.database.exec(statement);
  await act(file);
};
const reservingThere = ({ executor }: Awaited<ReturnType<typeof openFile>>) =>
  new SqlSegmentSource(executor).reserve('order', 1);
export const ofFiles = {
  'commits that a power cut loses': inFile(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL',
    reservingThere,
  ),
  'a journal that a power cut brings back': inFile('PRAGMA synchronous = FULL', reservingThere),
  'a journal in memory': inFile('PRAGMA journal_mode = MEMORY', reservingThere),
  'a transaction': inFile('BEGIN', reservingThere),
  'a connection that only reads': inFile('PRAGMA query_only = 1', reservingThere),
  'no table': inFile('', ({ executor }) =>
    new SqlSegmentSource(executor, { table: 'nowhere' }).describe('order'),
  ),
  'no sequence': inFile('', ({ executor }) => new SqlSegmentSource(executor).reserve('bill', 1)),
  'a zone with rules': inFile('', ({ executor }) =>
    createSequence(executor, 'zone', { group: { by: 'day', timeZone: 'Europe/Berlin' } }),
  ),
};

/** The warnings of a sequence, after what `spoil` ran. */
const warned =
  (spoil: string, as: (act: Act) => Act = (act) => act) =>
  async () => {
    let found: readonly string[] = [];
    const describe: Act = async ({ source }) => {
      found = (await source.describe('order')).warnings ?? [];
    };
    await postgresOnly(spoil, as(describe))();
    // Of the server, which may be any.
    return found.filter((warning) => !warning.includes('synchronous_standby_names'));
  };
export const warnings = {
  'guards that are off': warned('ALTER TABLE %t DISABLE TRIGGER USER'),
  'a table of an older version': warned(
    'DROP TRIGGER id_segment_reign ON %t; ALTER TABLE %t DROP system_id, DROP timeline, DROP last_xact, DROP noticed',
  ),
  'a role with fewer rights': warned('', (act) => asRole('GRANT SELECT, UPDATE (max_id) ON %t TO %r', act)),
  'a table that was restored': warned('UPDATE %t SET system_id = 1'),
};
